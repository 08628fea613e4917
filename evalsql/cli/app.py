"""The commands, each with the function that runs it, which is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

# Of every ``typer.Typer``.
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
_COMMANDS = (
    *("leaderboard.demo", "leaderboard.eval_", "holdings.ls", "leaderboard.leaderboard", "leaderboard.topics"),
    *("compare.compare", "compare.table", "explain_ties.explain", "reports_charts.report", "reports_charts.site"),
    *("reports_charts.chart", "reports_charts.curve", "explain_ties.ties", "gate_history.gate", "gate_history.history"),
    *("gate_history.diff", "measures_sql.sql", "shell.shell", "measures_sql.measures", "measures_sql.compile"),
    *("holdings.check", "trec_eval_command.trec_eval", "app.load", "app.export", "export_import.import_", "app.spark"),
    *("fuse.fuse", "pool_agreement.pool", "pool_agreement.agreement", "holdings.drop", "holdings.keep"),
    *("spark_serve.serve", "holdings.vacuum", "guides.help_"),
)


def typer_group(places: Sequence[str], meaning: str, **settings: Any) -> typer.Typer:
    """A group of commands such as "load.runs", each of which is imported when it is called; ``eval_`` is eval."""
    by_name = {place.rpartition(".")[2].rstrip("_"): place for place in places}

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(by_name)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in by_name and cmd_name not in self.commands:
                module, _, attribute = by_name[cmd_name].rpartition(".")
                found = getattr(import_module(f"evalsql.cli.{module}"), attribute)
                self.commands[cmd_name] = _command(cmd_name, found)
            return self.commands.get(cmd_name)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in by_name:
                # For "did you mean", which looks at the commands that are here.
                for name in by_name:
                    self.get_command(ctx, name)
            return super().resolve_command(ctx, args)

        def invoke(self, ctx: Any) -> Any:
            try:
                return super().invoke(ctx)
            except typer.BadParameter as error:
                # What pydantic says of a number does not name it.
                for each in getattr(error.__cause__, "errors", list)():
                    error.message = f'"{each["input"]}": {each["msg"]}'
                error.__cause__ = None
                raise

    settings = {**_PLAIN, "cls": LazyGroup, "help": meaning, "no_args_is_help": True, **settings}
    group = typer.Typer(**settings)
    group.callback()(lambda: None)  # Typer takes no group without one
    return group


def _command(name: str, found: Any) -> Any:
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(**_PLAIN)
        found.command()(function)
    made: Any = get_command(found)
    made.name = name
    return made


load = typer_group(
    [f"load.{name}" for name in ("qrels", "runs", "measures", "weights", "topics", "groups", "lists", "scores")],
    "Load judgments, runs and measures of your own.\n\nExample: evalsql load runs 'runs/*.run' --qrels sample",
)
export = typer_group(
    [f"export_import.{name}" for name in ("runs", "qrels", "topics", "weights", "scores", "warehouse")],
    "Write runs, judgments, values or a whole warehouse.\n\nExample: evalsql export runs 'rerank-*' -o trec",
)
spark = typer_group(["spark_serve.eval_"], "Evaluate runs on a Spark cluster.\n\nExample: evalsql spark eval --help")
app = typer_group(
    _COMMANDS,
    "An evaluation warehouse for information retrieval: runs and judgments in DuckDB, measures as SQL.",
    name="evalsql",
    context_settings={"help_option_names": ["--help", "-h"]},
    add_completion=True,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from evalsql.version import __version__

        typer.echo(f"evalsql {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that stand before the command."""
