"""Tables of E-values as BLAST, DIAMOND, MMseqs2, HMMER and Infernal write them, of the sample's run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.ingest.sample_rows import RUN


def evalue(score: float) -> float:
    """An E-value that is the lower the better the score is, by far below what 32 bits hold."""
    return 10 ** (-8 * score)


BLAST = [
    *("qseqid", "sseqid", "pident", "length", "mismatch", "gapopen"),
    *("qstart", "qend", "sstart", "send", "evalue", "bitscore"),
]


def aligned(rows: Sequence[Sequence[Any]], identity: str = "98.4") -> list[str]:
    """Lines of the twelve columns that BLAST, DIAMOND and MMseqs2 write; the second alignment of a pair is worse."""
    found = []
    for topic, name, score, *_ in rows:
        for value, bits in ((evalue(score), 20 * score), (10 * evalue(score), 1)):
            cells = (topic, name, identity, 116, 1, 0, 1, 116, 4, 119, repr(value), f"{bits:.1f}")
            found.append("\t".join(map(str, cells)))
    return found


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


FIELDS = (
    "query acc.ver, subject acc.ver, % identity, alignment length, mismatches, gap opens, q. start, q. end, s. start, "
    "s. end, evalue, bit score"
)
FIELDS_OF_OLD = (
    "Query id, Subject id, % identity, alignment length, mismatches, gap openings, q. start, q. end, s. start, s. end, "
    "e-value, bit score"
)
FIELDS_OF_DIAMOND = (
    "Query ID, Subject ID, Percentage of identical matches, Alignment length, Number of mismatches, Number of gap "
    "openings, Start of alignment in query, End of alignment in query, Start of alignment in subject, End of alignment "
    "in subject, Expected value, Bit score"
)


def commented(program: str, fields: str, of_each: Sequence[str]) -> bytes:
    """A table with comments above each query, the first of which has no hit."""
    found = [f"# {program}", "# Query: none without a hit", "# Database: seqs", "# 0 hits found"]
    topics = dict.fromkeys(row[0] for row in RUN)
    for topic in topics:
        lines = [line for line in of_each if line.startswith(f"{topic}\t")]
        found += [f"# {program}", f"# Query: {topic} a protein", "# Database: seqs", f"# Fields: {fields}"]
        found += [f"# {len(lines)} hits found", *lines]
    return text(*found, f"# BLAST processed {len(topics) + 1} queries")


def hmmer(header: bytes, row: str) -> bytes:
    lines = [row.format(t=topic, d=name, e=evalue(score), s=20 * score) for topic, name, score, *_ in RUN]
    return header + text(*lines, "#", "# Program:         hmmsearch", "# [ok]")
