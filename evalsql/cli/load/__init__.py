"""``evalsql load``: judgments, runs and a user's own measures into the warehouse."""

from __future__ import annotations

from evalsql.cli.lazy import typer_group

_COMMANDS = {
    "qrels": "load.qrels.qrels",
    "runs": "load.runs.runs",
    "measures": "load.measures.measures",
    "weights": "load.qrels.weights",
    "topics": "load.topics.topics",
    "groups": "load.topics.groups",
    "lists": "load.lists.lists",
    "scores": "load.runs.scores",
}

app = typer_group(
    _COMMANDS,
    "Load judgments, runs and measures of your own.\n\nExample: evalsql load runs 'runs/*.run' --qrels sample",
)
