"""Every format of runs and judgments gives the figures of the same data as TREC files; others are refused by name."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ir_measures
import pandas
import polars
import pyarrow
import pytest
from pyarrow import feather, ipc

import evalsql
from evalsql import Warehouse
from tests.conftest import ROOT, SAMPLE, Command, write

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MEASURES = ("nDCG@10", "AP", "P@5", "RR", "Bpref", "Judged@10")
TREC_RUN = (SAMPLE / "runs" / "bm25.run").read_text()
TREC_QRELS = (SAMPLE / "qrels.txt").read_text()


def data_rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


RUN = [(row[0], row[2], float(row[4]), int(row[3])) for row in data_rows(TREC_RUN)]
QRELS = [(row[0], row[2], int(row[3]), row[1]) for row in data_rows(TREC_QRELS)]


def nested(rows: Sequence[Sequence[Any]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for topic, document, value, *_ in rows:
        found.setdefault(topic, {})[document] = value
    return found


def ranked() -> dict[str, list[str]]:
    """The documents of each topic in the order of trec_eval: by score, of equal ones the greater name first."""
    order = {
        topic: sorted(documents, key=lambda name: (documents[name], name), reverse=True)
        for topic, documents in nested(RUN).items()
    }
    assert len(order) > 10
    return order


def delimited(names: Sequence[str], rows: Sequence[Sequence[Any]], delimiter: str) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return stream.getvalue().encode()


def lines(rows: Sequence[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def records(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=False)) for row in rows]


def parquet(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    stream = io.BytesIO()
    polars.DataFrame(records(names, rows)).write_parquet(stream)
    return stream.getvalue()


def by_pandas(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    stream = io.BytesIO()
    pandas.DataFrame(records(names, rows)).to_parquet(stream)
    return stream.getvalue()


def feathered(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    stream = io.BytesIO()
    feather.write_feather(pyarrow.Table.from_pylist(records(names, rows)), stream)
    return stream.getvalue()


def streamed(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    table, stream = pyarrow.Table.from_pylist(records(names, rows)), io.BytesIO()
    with ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


def ms_marco() -> bytes:
    rows = [(topic, name, rank) for topic, names in ranked().items() for rank, name in enumerate(names, start=1)]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()


PYTERRIER = ("qid", "docno", "score", "rank")
IR_MEASURES = ("query_id", "doc_id", "score", "rank")
RANX = ("q_id", "doc_id", "score")
BEIR = ("query-id", "corpus-id", "score")
RUNS: dict[str, tuple[str, bytes]] = {
    "Parquet": ("r.parquet", parquet(IR_MEASURES, RUN)),
    "Parquet of pandas": ("r.parquet", by_pandas(RANX, RUN)),
    "Feather": ("r.feather", feathered(PYTERRIER, RUN)),
    "Arrow stream": ("r.arrow", streamed(PYTERRIER, RUN)),
    "CSV": ("r.csv", delimited(PYTERRIER, RUN, ",")),
    "CSV, other case": ("r.csv", b"\xef\xbb\xbf" + delimited(("QID", "DocNo", "Score", "Rank"), RUN, ",")),
    "CSV with semicolons": ("r.csv", delimited(PYTERRIER, RUN, ";")),
    "CSV with an index": (
        "r.csv", delimited(("", *PYTERRIER), [(at, *row) for at, row in enumerate(RUN)], ",").replace(b"\n", b"\r\n")
    ),
    "TSV": ("r.tsv", delimited(IR_MEASURES, RUN, "\t")),
    "TSV of BEIR": ("r.tsv", delimited(BEIR, [row[:3] for row in RUN], "\t")),
    "text with a header": ("r.txt", delimited(PYTERRIER, RUN, " ")),
    "JSON dict of dicts": ("results.json", json.dumps(nested(RUN)).encode()),
    "JSON dict of dicts, indented": ("r.json", json.dumps(nested(RUN), indent=2).encode()),
    "JSON list of rows": ("r.json", json.dumps(records(RANX, RUN)).encode()),
    "JSON rankings": ("r.json", json.dumps(ranked()).encode()),
    "JSON lines": ("r.jsonl", lines(records(RANX, RUN))),
    "JSON lines, some fields only later": (
        "r.jsonl", lines([{"note": 1, **record} if at else record for at, record in enumerate(records(RANX, RUN))])
    ),
    "JSON lines of rankings": ("r.jsonl", lines([{"qid": topic, "docs": names} for topic, names in ranked().items()])),
    "JSON lines of rankings with scores": (
        "r.jsonl",
        lines([{"qid": topic, "docids": [*of], "scores": [*of.values()]} for topic, of in nested(RUN).items()]),
    ),
    "JSON lines of hits": (
        "r.jsonl",
        lines(
            [
                {"query_id": topic, "hits": [{"docid": name, "score": score} for name, score in of.items()]}
                for topic, of in nested(RUN).items()
            ]
        ),
    ),
    "JSON lines of topics": ("r.jsonl", lines([{topic: of} for topic, of in nested(RUN).items()])),
    "MS MARCO": ("r.tsv", ms_marco()),
}  # fmt: skip
QRELS_FILES: dict[str, tuple[str, bytes]] = {
    "Parquet": ("q.parquet", parquet(("query_id", "doc_id", "relevance", "iteration"), QRELS)),
    "Parquet of pandas": ("q.parquet", by_pandas(("q_id", "doc_id", "score"), QRELS)),
    "Feather": ("q.feather", feathered(("qid", "docno", "label"), QRELS)),
    "Arrow stream": ("q.arrow", streamed(("qid", "docno", "label"), QRELS)),
    "CSV": ("q.csv", delimited(("qid", "docno", "label", "iteration"), QRELS, ",")),
    "TSV": ("q.tsv", delimited(("query_id", "doc_id", "relevance", "iteration"), QRELS, "\t")),
    "TSV of BEIR": ("test.tsv", delimited(BEIR, [row[:3] for row in QRELS], "\t")),
    "JSON dict of dicts": ("q.json", json.dumps(nested(QRELS)).encode()),
    "JSON list of rows": ("q.json", json.dumps(records(("q_id", "doc_id", "score"), QRELS)).encode()),
    "JSON lines": ("q.jsonl", lines(records(("query_id", "doc_id", "relevance", "iteration"), QRELS))),
    "JSON lines of topics": ("q.jsonl", lines([{topic: of} for topic, of in nested(QRELS).items()])),
    "MS MARCO": ("q.tsv", "".join(f"{t}\t0\t{d}\t{g}\n" for t, d, g, _ in QRELS).encode()),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "tuples": lambda: [row[:3] for row in RUN],
    "an iterator of tuples": lambda: iter([row[:3] for row in RUN]),
    "dicts": lambda: records(PYTERRIER, RUN),
    "ScoredDoc": lambda: [ir_measures.ScoredDoc(*row[:3]) for row in RUN],
    "rankings": ranked,
    "nested dicts": lambda: nested(RUN),
}
QRELS_FRAMES: dict[str, Callable[[], Any]] = {
    "tuples": lambda: [row[:3] for row in QRELS],
    "dicts": lambda: records(("qid", "docno", "label"), QRELS),
    "Qrel": lambda: [ir_measures.Qrel(*row) for row in QRELS],
    "nested dicts": lambda: nested(QRELS),
}


@pytest.fixture(scope="module")
def expected() -> list[tuple[Any, ...]]:
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "q")
        warehouse.load_runs(SAMPLE / "runs" / "bm25.run", name="r")
        return warehouse.evaluate(MEASURES, per_topic=True).fetchall()


@pytest.fixture(scope="module")
def shared() -> Iterator[Warehouse]:
    """One warehouse in memory for all formats, each load taking the place of the one before."""
    with evalsql.open(":memory:") as warehouse:
        yield warehouse


def figures(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """Values by topic; the last digit of a sum hangs on the order in which threads add."""
    return rounded(warehouse.evaluate(MEASURES, per_topic=True).fetchall())


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted((*names, round(value, 12)) for *names, value in rows)


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_of_any_format_gives_the_figures_of_its_trec_file(
    shared: Warehouse, tmp_path: Path, kind: str, expected: list[tuple[Any, ...]]
) -> None:
    name, content = RUNS[kind]
    shared.load_qrels(SAMPLE / "qrels.txt", "q", replace=True)
    shared.load_runs(write(tmp_path / name, content), name="r", replace=True)
    assert figures(shared) == rounded(expected)
    ((count, rule),) = shared.rows("select (select count(*) from retrieved), tie_rule from runs")
    assert count == len(RUN)
    assert rule == ("rank" if kind in ("JSON rankings", "JSON lines of rankings", "MS MARCO") else "trec_eval")
    assert shared.rows("select table_name from duckdb_tables() where temporary") == []


@pytest.mark.parametrize("kind", QRELS_FILES)
def test_judgments_of_any_format_give_the_figures_of_their_trec_file(
    shared: Warehouse, tmp_path: Path, kind: str, expected: list[tuple[Any, ...]]
) -> None:
    name, content = QRELS_FILES[kind]
    shared.load_qrels(write(tmp_path / name, content), "q", replace=True)
    shared.load_runs(SAMPLE / "runs" / "bm25.run", name="r", replace=True)
    assert figures(shared) == rounded(expected)
    assert shared.rows("select count(*) from judgments") == [(len(QRELS),)]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_is_whatever_holds_rows(shared: Warehouse, kind: str, expected: list[tuple[Any, ...]]) -> None:
    shared.load_qrels(SAMPLE / "qrels.txt", "q", replace=True)
    shared.load_run(FRAMES[kind](), "r", replace=True)
    assert figures(shared) == rounded(expected)
    means = evalsql.evaluate(nested(QRELS), FRAMES[kind](), MEASURES)
    expected_means = evalsql.evaluate(SAMPLE / "qrels.txt", SAMPLE / "runs" / "bm25.run", MEASURES)
    assert means == pytest.approx(expected_means, abs=1e-12)


@pytest.mark.parametrize("kind", QRELS_FRAMES)
def test_a_frame_of_judgments_is_whatever_holds_rows(
    shared: Warehouse, kind: str, expected: list[tuple[Any, ...]]
) -> None:
    shared.load_qrels(QRELS_FRAMES[kind](), "q", replace=True)
    shared.load_runs(SAMPLE / "runs" / "bm25.run", name="r", replace=True)
    assert figures(shared) == rounded(expected)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("kind", ["TREC", "CSV", "JSON dict of dicts", "Parquet"])
def test_every_compression_is_told_by_the_content(
    shared: Warehouse, tmp_path: Path, pack: Callable[[bytes], bytes], kind: str, expected: list[tuple[Any, ...]]
) -> None:
    content = TREC_RUN.encode() if kind == "TREC" else RUNS[kind][1]
    shared.load_qrels(write(tmp_path / "q", pack(TREC_QRELS.encode())), "q", replace=True)
    shared.load_runs(write(tmp_path / "r", pack(content)), name="r", replace=True)
    assert figures(shared) == rounded(expected)


@pytest.mark.parametrize(("name", "pack"), [("r.csv.bz2", bz2.compress), ("r.csv.xz", lzma.compress)])
def test_a_run_is_called_by_its_stem(
    shared: Warehouse, tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    path = write(tmp_path / name, pack(RUNS["CSV"][1]))
    assert shared.load_runs(path, qrels="q", replace=True) == ["r"]


def test_standard_input_and_eval_take_every_format(command: Command, tmp_path: Path) -> None:
    asked = ("-m", "nDCG@10", "-m", "AP", "--format", "csv")
    trec = command("eval", SAMPLE / "qrels.txt", "-", *asked, stdin=TREC_RUN).stdout
    assert trec.startswith("qrels,run,")
    for kind, (_, content) in RUNS.items():
        if kind not in ("Parquet", "Parquet of pandas", "Feather", "Arrow stream"):
            assert command("eval", SAMPLE / "qrels.txt", "-", *asked, stdin=content.decode()).stdout == trec, kind
    bm25 = write(tmp_path / "run.run", TREC_RUN)
    for kind in ("CSV", "TSV of BEIR", "JSON dict of dicts", "JSON lines"):
        assert command("eval", "-", bm25, *asked, stdin=QRELS_FILES[kind][1].decode()).stdout == trec, kind
    files = [
        write(tmp_path / RUNS["Parquet"][0], RUNS["Parquet"][1]),
        write(tmp_path / "q.parquet", QRELS_FILES["Parquet"][1]),
    ]
    last = command("eval", files[1], files[0], *asked).stdout.splitlines()[1]
    assert last.split(",")[2:] == trec.splitlines()[1].split(",")[2:]


# The guide


def test_the_guide_has_a_table_of_formats_that_are_those_tested() -> None:
    text = (ROOT / "evalsql" / "docs" / "loading.md").read_text(encoding="utf-8")
    table = text.partition("| format | run | judgments | file | standard input | in memory |\n")[2].partition("\n\n")[0]
    told = {
        row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]] for row in table.splitlines()[1:]
    }
    runs, judged = (*RUNS, *FRAMES), (*QRELS_FILES, *QRELS_FRAMES)
    for form, (run, judgments, file, stdin, memory) in told.items():
        if form not in ("TREC", "pandas, polars, Arrow, DuckDB"):
            assert (run == "yes") == any(kind.startswith(form) for kind in runs), form
            assert (judgments == "yes") == any(kind.startswith(form) for kind in judged), form
            assert (file == "yes") == any(kind.startswith(form) for kind in (*RUNS, *QRELS_FILES)), form
            assert (memory == "yes") == any(kind.startswith(form) for kind in (*FRAMES, *QRELS_FRAMES)), form
        assert stdin == file
    for kind in (*runs, *judged):
        assert any(form in kind for form in told), kind


def test_a_header_of_trec_columns_is_left_to_their_reader(shared: Warehouse, tmp_path: Path) -> None:
    text = "topic Q0 docid rank score qid\nT1 Q0 b 1 2.0 tag\nT1 Q0 a 2 1.0 tag\n"
    shared.load_runs(write(tmp_path / "headed.run", text), name="headed", replace=True, qrels=[])
    found = shared.rows(
        "select topic, document, tag from rankings join runs using (run) where run = 'headed' order by rank"
    )
    assert found == [("T1", "b", "tag"), ("T1", "a", "tag")]
