"""Runs and judgments to measure with: TREC-COVID where it is at hand, else generated.

Generated ones are the same each time: every choice is a hash of system, topic and rank. Each ranking takes every
other document from the 997 likeliest of its topic, some of which are judged, the others from 4001 less likely ones.
Lines stand in the order of ranks; about a tenth of the scores are tied, and of every fifth system, whose scores
have two decimals, most. Names have 8 to 25 characters.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from tests.bench.processes import ROOT

LIKELY, UNLIKELY = 997, 4001  # primes, so that steps of any length visit every document once
MOST_DOCUMENTS = 2 * LIKELY
_NUMBERS = 190_000

_MACROS = (
    f"""
    create macro document_number(topic, place) as
        (topic * 7919 + place * 37) % {_NUMBERS}
    """,
    """
    create macro document(number) as
        case number % 4
            when 2 then 'FBIS3-' || (10000 + number)
            when 3 then printf('clueweb12-%04dtw-%02d-%05d', number // 1000, number % 97, number % 100000)
            else lower(to_base(number * 14800007 + 1, 36, 8))
        end
    """,
    "create macro chosen(below, a, b, c) as cast(hash(a, b, c) % below as bigint)",
    f"""
    create macro place(system, topic, rank) as
        case
            when rank % 2 = 1 then
                ((1 + chosen({LIKELY - 1}, system, topic, 'a')) * (rank // 2) + chosen({LIKELY}, system, topic, 'b'))
                % {LIKELY}
            else
                {LIKELY} + (
                    (1 + chosen({UNLIKELY - 1}, system, topic, 'c')) * (rank // 2)
                    + chosen({UNLIKELY}, system, topic, 'd')
                ) % {UNLIKELY}
        end
    """,
    """
    create macro score(system, topic, rank) as
        printf(
            case when system % 5 = 0 then '%.2f' else '%.6f' end,
            1000.0 / (60 + rank - case when rank > 1 and chosen(10, system, topic, rank) = 0 then 1 else 0 end)
        )
    """,
)
_RUN = """
    copy (
        select
            topic, 'Q0', document(document_number(topic, place($system, topic, rank))), rank,
            score($system, topic, rank), 'system' || lpad(cast($system as varchar), 4, '0')
        from (select i // $documents + 1 as topic, i % $documents + 1 as rank from range($topics * $documents) as t(i))
    ) to '$path' (format csv, delimiter ' ', header false, quote '')
"""
_QRELS = """
    copy (
        select
            topic, 0, document(document_number(topic, place)),
            case chosen(10, topic, place, 'grade') when 0 then 2 when 1 then 1 when 2 then 1 when 3 then 1 else 0 end
        from (select i // $judged + 1 as topic, i % $judged * 2 as place from range($topics * $judged) as t(i))
    ) to '$path' (format csv, delimiter ' ', header false, quote '')
"""


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
        for macro in _MACROS:
            connection.execute(macro)
        connection.execute(_filled(_QRELS, path=qrels, topics=topics, judged=judged))
        for system in systems:
            runs.append(folder / f"system{system:04}.run")
            connection.execute(_filled(_RUN, path=runs[-1], system=system, topics=topics, documents=documents))
    return Collection(f"generated, {topics:,} topics x {documents:,} documents", qrels, tuple(runs))


def _filled(template: str, **values: object) -> str:
    """COPY takes no parameters."""
    for name, value in values.items():
        template = template.replace(f"${name}", str(value).replace("'", "''"))
    return template
