"""Options of commands that load: what a file holds, what is kept of it, and what is kept with it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalsql.errors import UsageError

TieRule = Literal["trec_eval", "trec_eval_10", "rank", "input"]
Meta = Annotated[
    list[str] | None, typer.Option("--meta", metavar="KEY=VALUE", help="Something to keep with it; can be repeated.")
]
Replace = Annotated[bool, typer.Option("--replace", help="Take the place of what is held under the same name.")]
TieRuleOption = Annotated[
    TieRule | None,
    typer.Option(
        "--tie-rule",
        help="How documents are ordered: score as 32-bit float then document (trec_eval), the same with 64 bits "
        "(trec_eval_10), the rank column (rank), the order of the lines (input). By default trec_eval; trec_eval_10 "
        "with --lower-is-better.",
    ),
]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="Smaller scores are better, as E-values are.")]
Form = Annotated[
    Literal["grades", "groups", "preferences", "pairs", "families"],
    typer.Option(
        help="One grade a document (grades), one in each group or subtopic, which the second column names (groups), or "
        "levels by which documents are preferred to others: topic, group, subgroup or none, document, level "
        "(preferences). Or what judgments are made of: topic and relevant document (pairs), id and family (families)."
    ),
]
KeepBest = Annotated[
    bool, typer.Option("--keep-best", help="Keep the best of a document's several rows for a topic, and say how many.")
]


def parse_meta(meta: list[str] | None) -> dict[str, str]:
    """What --meta gives, by key."""
    pairs = {}
    for text in meta or ():
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise UsageError(f'--meta takes KEY=VALUE, found "{text}"')
        if key in pairs:
            raise UsageError(f"--meta gives {key} twice")
        pairs[key] = value
    return pairs
