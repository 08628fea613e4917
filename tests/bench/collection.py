"""Runs and judgments to measure with: TREC-COVID where it is at hand, else generated.

Generated ones are the same each time: every choice is a hash of system, topic and rank. Each ranking takes every
other document from the 997 likeliest of its topic, some of which are judged, the others from 4001 less likely ones.
Lines stand in the order of ranks; about a tenth of the scores are tied, and of every fifth system, whose scores
have two decimals, most. Names have 8 to 25 characters.
"""

import gzip
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from tests.bench.processes import ROOT

LIKELY = 997
MOST_DOCUMENTS = 2 * LIKELY


@dataclass(frozen=True)
class Collection:
    """Plain text files, and what they are."""

    kind: str
    qrels: Path
    runs: tuple[Path, ...]

    @property
    def rows(self) -> int:
        return sum(path.read_bytes().count(b"\n") for path in self.runs)


def real_data() -> Path | None:
    """The folder of public data that is not part of the project, if it is here."""
    folder = Path(os.environ.get("EVALSQL_REAL_DATA") or ROOT.parent / "shared" / "data") / "trec-covid-r5"
    return folder if folder.is_dir() else None


def covid(folder: Path, systems: int) -> Collection:
    """The first so many systems of TREC-COVID round 5, unpacked, else generated ones of that shape."""
    real = real_data()
    if real is None:
        return generated(folder, range(systems))
    folder.mkdir(parents=True)
    runs = []
    for path in sorted((real / "runs").glob("*.gz"))[:systems]:
        runs.append(folder / path.name.removesuffix(".gz"))
        runs[-1].write_bytes(gzip.decompress(path.read_bytes()))
    qrels = folder / "qrels.txt"
    qrels.write_bytes((real / "qrels.txt").read_bytes())
    return Collection("TREC-COVID round 5", qrels, tuple(runs))


def generated(
    folder: Path, systems: Iterable[int], *, topics: int = 50, documents: int = 1000, judged: int = 460
) -> Collection:
    """A run for each number of a system, and judgments of so many documents a topic."""
    if documents > MOST_DOCUMENTS or judged > LIKELY // 2:
        raise ValueError(f"at most {MOST_DOCUMENTS} documents and {LIKELY // 2} judged ones a topic")
    folder.mkdir(parents=True, exist_ok=True)
    qrels = folder / "qrels.txt"
    runs = []
    with duckdb.connect() as connection:
        connection.execute(Path(__file__).with_name("collection.sql").read_text(encoding="utf-8"))

        def write(rows: str, path: Path) -> None:
            quoted = str(path).replace("'", "''")
            connection.execute(f"copy (from {rows}) to '{quoted}' (format csv, delimiter ' ', header false, quote '')")

        write(f"qrels_rows({topics}, {judged})", qrels)
        for system in systems:
            runs.append(folder / f"system{system:04}.run")
            write(f"run_rows({system}, {topics}, {documents})", runs[-1])
    return Collection(f"generated, {topics:,} topics x {documents:,} documents", qrels, tuple(runs))
