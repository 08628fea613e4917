"""The commands, each with the function that runs it, which is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

_COMMANDS = {
    "demo": "leaderboard.demo",
    "eval": "leaderboard.evaluate",
    "ls": "holdings.ls",
    "leaderboard": "leaderboard.leaderboard",
    "topics": "leaderboard.topics",
    "compare": "compare.compare",
    "table": "compare.table",
    "explain": "explain_ties.explain",
    "report": "reports_charts.report",
    "site": "reports_charts.site",
    "chart": "reports_charts.chart",
    "curve": "reports_charts.curve",
    "ties": "explain_ties.ties",
    "gate": "gate_history.gate",
    "history": "gate_history.history",
    "diff": "gate_history.diff",
    "sql": "measures_sql.sql",
    "shell": "shell.shell",
    "measures": "measures_sql.measures",
    "compile": "measures_sql.compile",
    "check": "holdings.check",
    "trec_eval": "trec_eval_command.trec_eval",
    "load": "app.load",
    "export": "app.export",
    "import": "export_import.import_",
    "spark": "app.spark",
    "fuse": "fuse.fuse",
    "pool": "pool_agreement.pool",
    "agreement": "pool_agreement.agreement",
    "drop": "holdings.drop",
    "keep": "holdings.keep",
    "serve": "spark_serve.serve",
    "vacuum": "holdings.vacuum",
    "help": "guides.show_guide",
}


def lazy_group(places: Mapping[str, str]) -> type[TyperGroup]:
    """A group of commands that are imported when they are called, from places such as "load.runs"."""

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(places)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in places and cmd_name not in self.commands:
                module, _, attribute = places[cmd_name].rpartition(".")
                found = getattr(import_module(f"evalsql.cli.{module}"), attribute)
                self.commands[cmd_name] = _command(cmd_name, found)
            return self.commands.get(cmd_name)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in places:
                # For "did you mean", which looks at the commands that are here.
                for name in places:
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

    return LazyGroup


def typer_group(places: Mapping[str, str], meaning: str) -> typer.Typer:
    """A lazy group as a command that has commands of its own, such as ``load``; its help starts with the meaning."""
    group = typer.Typer(
        cls=lazy_group(places), help=meaning, no_args_is_help=True, add_completion=False, rich_markup_mode=None
    )
    group.callback()(lambda: None)  # Typer takes no group without one
    return group


def _command(name: str, found: Any) -> Any:
    if isinstance(found, typer.Typer):
        group = found
    else:
        group = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        group.command()(found)
    made: Any = get_command(group)
    made.name = name
    return made


load = typer_group(
    {name: f"load.{name}" for name in ("qrels", "runs", "measures", "weights", "topics", "groups", "lists", "scores")},
    "Load judgments, runs and measures of your own.\n\nExample: evalsql load runs 'runs/*.run' --qrels sample",
)
export = typer_group(
    {name: f"export_import.{name}" for name in ("runs", "qrels", "topics", "weights", "scores", "warehouse")},
    "Write runs, judgments, values or a whole warehouse.\n\nExample: evalsql export runs 'rerank-*' -o trec",
)
spark = typer_group(
    {"eval": "spark_serve.evaluate_on_spark"}, "Evaluate runs on a Spark cluster.\n\nExample: evalsql spark eval --help"
)
app = typer.Typer(
    name="evalsql",
    help="An evaluation warehouse for information retrieval: runs and judgments in DuckDB, measures as SQL.",
    cls=lazy_group(_COMMANDS),
    context_settings={"help_option_names": ["--help", "-h"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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
