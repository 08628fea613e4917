"""The list of commands, each with the function that runs it."""

from __future__ import annotations

from typing import Annotated

import typer

from evalsql.cli.commands import lazy_group, typer_group

_COMMANDS = {
    "demo": "evaluate.demo",
    "eval": "evaluate.evaluate",
    "ls": "holdings.ls",
    "leaderboard": "leaderboard.leaderboard",
    "topics": "leaderboard.topics",
    "compare": "compare.compare",
    "table": "paper_table.table",
    "explain": "explain_ties.explain",
    "report": "report_site.report",
    "site": "report_site.site",
    "chart": "chart_curve.chart",
    "curve": "chart_curve.curve",
    "ties": "explain_ties.ties",
    "gate": "gate_history.gate",
    "history": "gate_history.history",
    "diff": "gate_history.diff",
    "sql": "sql_shell.sql",
    "shell": "sql_shell.shell",
    "measures": "measures_compile.measures",
    "compile": "measures_compile.compile",
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

load = typer_group(
    {
        "qrels": "load.qrels",
        "runs": "load.runs",
        "measures": "load_topics_measures.load_measures",
        "weights": "load.weights",
        "topics": "load_topics_measures.topics",
        "groups": "load_topics_measures.groups",
        "lists": "load.lists",
        "scores": "load.scores",
    },
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
