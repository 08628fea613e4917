"""Puts the groups of commands together."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from evalsql.cli import ask, check, curve, demo, evaluate, load, trec_eval

app = typer.Typer(
    name="evalsql",
    help="An evaluation warehouse for information retrieval: runs and judgments in DuckDB, measures as SQL.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"evalsql {version('evalsql')}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that stand before the command."""


app.command("demo")(demo.demo)
app.command("eval")(evaluate.evaluate)
app.add_typer(load.app, name="load")
app.command("ls")(ask.ls)
app.command("leaderboard")(evaluate.leaderboard)
app.command("topics")(evaluate.topics)
app.command("curve")(curve.curve)
app.command("check")(check.check)
app.command("sql")(ask.sql)
app.command("measures")(ask.measures)
app.command("trec_eval", context_settings={"help_option_names": []})(trec_eval.trec_eval)
