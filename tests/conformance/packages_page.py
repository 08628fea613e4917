"""Writes the guide evalsql/docs/packages.md from fixtures/conformance/packages.tsv and packages.toml."""

import json
from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from evalsql.conformance import suite
from evalsql.conformance.check import Suite
from tests.conformance.table import HERE, Note, Package, packages, read_file, read_table

PAGE = HERE.parents[1] / "evalsql" / "docs" / "packages.md"
BEGIN, END = "<!-- packages: begin -->\n", "<!-- packages: end -->\n"
AXES = ("ties", "topics", "without relevant", "unjudged", "negative")
KINDS = {"fault": "What authors may want to look at", "convention": "By another convention"}
Row = dict[str, Any]


def between() -> str:
    """What stands between the markers of the guide."""
    table, known, cases = read_table(), packages(), suite()
    dates = sorted({row["date"] for row in table})
    over = f"Computed on {' to '.join(dates)} over {len(cases.cases)} cases."
    parts = [over, *_by_measure(table, cases), *_conventions(table, known), *_notes(table, known), *_without()]
    return "\n".join(["", *parts, "", ""])


def write() -> None:
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    PAGE.write_text(head + BEGIN + between() + END + rest.partition(END)[2], encoding="utf-8")


def name_of(row: Row) -> str:
    """A package as the tables name it, with what was asked of it."""
    return f"{row['package']} ({row['asked']})" if row["asked"] else row["package"]


def _by_measure(table: list[Row], cases: Suite) -> Iterator[str]:
    for measure in cases.variants:
        found = [row for row in table if row["measure"] == measure]
        if not found:
            continue
        yield f"\n### `{measure}`\n\n| variant | packages |\n|---|---|"
        order = [*cases.variants[measure], ""]
        found.sort(key=lambda row: (order.index(row["variant"].partition(" or ")[0]), row["variant"]))
        for variant, each in groupby(found, itemgetter("variant")):
            yield f"| {variant or 'none'} | {', '.join(_told(row) for row in each)} |"


def _told(row: Row) -> str:
    if not row["variant"]:
        return f"{name_of(row)}: {row['agrees']}"
    num_cases = int(row["agrees"].rpartition(" ")[2]) + int(row["without_value"])
    without = f" (without a value in {row['without_value']} of {num_cases})" if row["without_value"] != "0" else ""
    return name_of(row) + without


def _conventions(table: list[Row], known: list[Package]) -> Iterator[str]:
    yield "\n## What each does with ties, topics and judgments\n"
    yield f"| package | version | {' | '.join(AXES)} |\n|---|---|{'---|' * len(AXES)}"
    for package in known:
        held = [json.loads(row["conventions"]) for row in table if row["package"] == package.name]
        cells = [_held(axis, [each[axis] for each in held if axis in each], package) for axis in AXES]
        yield f"| {package.name} | {package.version} | {' | '.join(cells)} |"


def _held(axis: str, options: list[list[str]], package: Package) -> str:
    if axis in package.by_adapter:
        return "the caller's"
    common = [option for option in dict.fromkeys(chain(*options)) if all(option in each for each in options)]
    return " or ".join(common) if common or not options else "differs by measure"


def _notes(table: list[Row], known: list[Package]) -> Iterator[str]:
    agreeing = {(row["package"], row["measure"], row["asked"]): row["agrees"] for row in table if not row["variant"]}
    for kind, title in KINDS.items():
        yield f"\n## {title}\n"
        for package in known:
            for note in package.notes:
                if note.kind == kind:
                    yield _note(package, note, agreeing)


def _without() -> Iterator[str]:
    yield "\n## Searched, without any of these measures\n"
    for each in read_file()["without"]:
        yield f"- {each['registry']}: {', '.join(each['names'])}; {each['text']}."


def _note(package: Package, note: Note, agreeing: dict[Any, str]) -> str:
    counts = [
        f"{measure}: {agrees}"
        for measure in note.measures
        if (agrees := agreeing.get((package.name, measure, package.drivers[note.driver])))
    ]
    measures = ", ".join(f"`{measure}`" for measure in note.measures) or "all measures"
    told = f" Cases that agree: {', '.join(counts)}." if counts else ""
    return f"- **{package.name} {package.version}**, {measures}: {note.text} (`{note.where}`).{told}"
