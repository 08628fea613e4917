"""The rows of twelve topics of the sample's TREC files."""

from tests.conftest import SAMPLE


def lines_of(name: str) -> list[str]:
    return [line for line in (SAMPLE / name).read_text().splitlines(keepends=True) if line[:3] <= "T12"]


TREC_RUN, TREC_QRELS = "".join(lines_of("runs/bm25.run")), "".join(lines_of("qrels.txt"))
RUN = [(row[0], row[2], float(row[4]), int(row[3])) for row in map(str.split, lines_of("runs/bm25.run"))]
QRELS = [(row[0], row[2], int(row[3]), row[1]) for row in map(str.split, lines_of("qrels.txt"))]
