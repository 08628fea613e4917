"""``evalsql board``: systems over many collections."""

import csv
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from evalsql.catalog.measure_names import DEFAULT_MEASURES
from evalsql.cli.declare import Names, argument, command, option
from evalsql.cli.options import QRELS, ArrangedOutput, AskingScores
from evalsql.cli.output import READ, note, write_file, write_table
from evalsql.errors import UsageError
from evalsql.evaluation.boards import board as board_of
from evalsql.evaluation.gate_rules import read_parsed
from evalsql.report.display import board_table, pairs_table
from evalsql.report.page.report_formats import PAGE_DIGITS
from evalsql.report.page.single_pages import board_page
from evalsql.report.terminal import DroppedColumns


@dataclass(frozen=True)
class Placing:
    """How systems are placed, as parameters of ``board_places``."""

    mean: Literal["macro", "micro", "borda", "wins", "standardised"] = option(
        "--mean", "What systems are placed by.", "macro"
    )
    missing: Literal["complete", "common", "any"] = option(
        "--missing",
        "Leave out systems that lack a collection (complete), take the collections that all have (common), or average "
        "what each has (any).",
        "complete",
    )
    versions: Literal["last", "all"] = option("--versions", "One version of each system, or a row for each.", "last")
    draw: Literal["topics", "collections"] = option("--draw", "Topics within collections, or these alone.", "topics")
    intervals: Literal["percentile", "expanded"] = option(
        "--intervals", "Bootstrap percentiles, or wider ones that make up for few collections.", "percentile"
    )
    confidence: float = option("--confidence", "Level of the intervals.", 0.95, min=0, max=1)
    samples: int = option("--samples", "Samples of collections.", 10_000, min=1)
    seed: int = option("--seed", "Another seed gives other samples.", 42)


@command
def board(
    *,
    systems: Names = argument("Systems, or globs of names; all by default.", complete="systems"),
    measure: str = option("--measure -m MEASURE", "Which one.", DEFAULT_MEASURES[0], complete="measures"),
    collections: Names = option("--collections NAME", "Collection, or a glob of names; can be repeated."),
    baseline: str | None = option("--baseline SYSTEM", "Compare the others with this one.", complete="systems"),
    where: str | None = option("--where CONDITION", "Runs of which this is true, such as \"version <> 'external'\"."),
    qrels: Names = QRELS,
    clusters: Path | None = option("--clusters FILE", "CSV or TSV of collection and cluster: what is drawn together."),
    placing: Placing,
    title: str = option("--title TEXT", "What stands above the page.", "Board"),
    output: ArrangedOutput,
    asking: AskingScores,
) -> None:
    """Systems over many collections: places, and how sure they are.

    Each system has its value on each collection, the mean, and its place with a bootstrap interval, as in 3 (1-14). A
    rule stands above the first system that is separated from the first one above it. With --baseline differences over
    collections stand there, each with interval, p, and collections won, tied and lost. An --output with the extension
    .html is a page that sorts and filters.

    Example: evalsql board 'rerank-*' dense -m AP --missing common
    """
    with asking.open() as warehouse:
        found = board_of(
            warehouse.evaluation,
            systems,
            measure,
            baseline=baseline,
            collections=collections,
            qrels=qrels,
            where=where,
            clusters=None if clusters is None else _read_clusters(clusters),
            **asdict(placing),
        )
        if output.path is not None and output.path.suffix.lower() == ".html" and baseline is None:
            write_file(board_page(warehouse.database, found, title, PAGE_DIGITS), output.path, warehouse)
            note(*found.notes)
            return
        table = output.first_rows(output.table_of(warehouse, found.query, found.lower))
        if output.chosen_format in READ:
            read = board_table if baseline is None else pairs_table
            table = read(table, output.digits, collections=found.collections, lower=found.lower)
        write_table(table, output, warehouse, DroppedColumns(("version",), spare=("version", *found.collections)))
    note(*found.notes)


def _read_clusters(path: Path) -> Mapping[str, str]:
    """The cluster of each collection, of a table with these two columns; raises UsageError with file and line."""
    sign = "\t" if path.suffix.lower() == ".tsv" else ","
    _, rows = read_parsed(path, lambda text: list(csv.reader(text.splitlines(), delimiter=sign)), "table of clusters")
    found: dict[str, str] = {}
    for line, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if cells in ([], ["collection", "cluster"]):
            continue
        if len(cells) != 2 or not all(cells) or cells[0] in found:
            raise UsageError(f"{path}:{line}: expected a collection, which is there once, and its cluster")
        found[cells[0]] = cells[1]
    if not found:
        raise UsageError(f"{path}: is empty; expected lines such as CQADupstackUnix,CQADupstack")
    return found
