"""Puts the groups of commands together."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.lazy import lazy_group

_COMMANDS = {
    "demo": "demo.demo",
    "eval": "evaluate.evaluate",
    "ls": "ask.ls",
    "leaderboard": "evaluate.leaderboard",
    "topics": "evaluate.topics",
    "compare": "compare.compare",
    "table": "paper_table.table",
    "explain": "explain.explain",
    "report": "report.report",
    "site": "site.site",
    "chart": "chart.chart",
    "curve": "curve.curve",
    "ties": "ties.ties",
    "gate": "gate.gate",
    "history": "history.history",
    "diff": "history.diff",
    "sql": "ask.sql",
    "shell": "shell.shell",
    "measures": "ask.measures",
    "compile": "compiling.compile",
    "check": "check.check",
    "trec_eval": "trec_eval.trec_eval",
    "load": "load.app",
    "export": "export.app",
    "import": "export.import_",
    "spark": "spark.app",
    "fuse": "fuse.fuse",
    "pool": "pool.pool",
    "agreement": "agreement.agreement",
    "drop": "drop.drop",
    "keep": "keep.keep",
    "serve": "serve.serve",
    "vacuum": "drop.vacuum",
    "help": "help.show_guide",
}

app = typer.Typer(
    name="evalsql",
    help="An evaluation warehouse for information retrieval: runs and judgments in DuckDB, measures as SQL.",
    cls=lazy_group(_COMMANDS, {"trec_eval": {"help_option_names": []}}),
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
