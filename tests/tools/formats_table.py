"""Writes the table of formats into the guide on loading: ``python -m tests.tools.formats_table``.

It is made of the variants in ``tests/ingest/variants.py`` and ``topic_variants.py``. ``tests/ingest/test_formats.py``
and ``test_topics.py`` load each of them by each door that the table names.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.conftest import ROOT
from tests.ingest.topic_variants import TOPICS_FILES, TOPICS_FRAMES
from tests.ingest.variants import FRAMES, QRELS_FILES, QRELS_FRAMES, RUNS
from tests.tools.marked import write_part

PAGE = ROOT / "evalsql" / "docs" / "loading.md"

# Formats as the guide lists them, with what writes them; a variant belongs to the longest one that it starts with.
GUIDE = {
    "TREC": "most systems; trec_eval",
    "TREC topics, SGML": "`<top>`, `<num>`, `<title>`",
    "TREC topics, XML": "`<topic number=...>`, `<query>`",
    "Parquet": "pandas, polars, DuckDB, Spark",
    "Feather": "pandas, pyarrow",
    "Arrow stream": "pyarrow",
    "CSV": "PyTerrier, pandas, spreadsheets",
    "TSV": "BEIR, ir_measures, pandas",
    "text with a header": "PyTerrier",
    "text of three columns": "`topic document grade`",
    "JSON dict of dicts": "ranx, pytrec_eval, BEIR's `results.json`",
    "JSON list of rows": "pandas, any program",
    "JSON texts": "`{topic: text}`",
    "JSON rankings": "`{topic: [document, ...]}`",
    "JSON lines": "a row or a ranking a line",
    "MS MARCO": "runs of three or four columns, qrels, queries",
    "tar archive": "runs, or one file of judgments; plain or packed",
    "BLAST tabular": "BLAST, `-outfmt 6` and `7`",
    "DIAMOND": "DIAMOND, with and without header",
    "MMseqs2": "MMseqs2, `convertalis`",
    "HMMER": "HMMER, `--tblout` and `--domtblout`",
    "Infernal": "Infernal, `--tblout`",
    "LETOR": "LETOR, RankLib, Elasticsearch LTR",
    "Quepid": "Quepid's export of ratings",
    "pandas": "DataFrame",
    "polars": "DataFrame",
    "Arrow": "Table",
    "DuckDB": "relation, over any file or database",
    "nested dicts": "`{topic: {document: score}}`",
    "rankings": "`{topic: [document, ...]}`",
    "tuples": "`(topic, document, score)`, list or iterator",
    "dicts": '`[{"qid": ..., "docno": ..., "score": ...}]`',
    "texts": "`{topic: text}`, `{topic: {field: value}}`",
    "ScoredDoc": "ir_measures",
    "Qrel": "ir_measures",
}
OTHER_NAMES = {"an iterator of tuples": "tuples"}


def format_of(kind: str) -> str:
    """The format of the guide that a variant is of."""
    kind = OTHER_NAMES.get(kind, kind)
    return max((name for name in GUIDE if kind.startswith(name)), key=len)


def table() -> str:
    """A row for each format: what writes it, and by which doors it comes as a run, as judgments and as topics."""
    doors = ((RUNS, FRAMES), (QRELS_FILES, QRELS_FRAMES), (TOPICS_FILES, TOPICS_FRAMES))
    lines = ["| format | as written by | run | judgments | topics |", "|---|---|---|---|---|"]
    for name, writer in GUIDE.items():
        cells = [_cell(name, files, frames) for files, frames in doors]
        lines.append(f"| {name} | {writer} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(name: str, files: Iterable[str], frames: Iterable[str]) -> str:
    if name in map(format_of, files):
        return "file, standard input"
    return "in memory" if name in map(format_of, frames) else "no"


if __name__ == "__main__":
    write_part(PAGE, "formats", table())
