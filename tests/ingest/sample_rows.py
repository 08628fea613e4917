"""The rows of the sample's TREC files."""

from __future__ import annotations

from tests.conftest import SAMPLE

TREC_RUN = (SAMPLE / "runs" / "bm25.run").read_text()
TREC_QRELS = (SAMPLE / "qrels.txt").read_text()


def data_rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


RUN = [(row[0], row[2], float(row[4]), int(row[3])) for row in data_rows(TREC_RUN)]
QRELS = [(row[0], row[2], int(row[3]), row[1]) for row in data_rows(TREC_QRELS)]
