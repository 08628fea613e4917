"""Runs and judgments in every format, as real tools write them, of the same data as the sample's TREC files."""

from __future__ import annotations

import csv
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import ir_measures
import pandas
import polars
import pyarrow
from pyarrow import feather, ipc

from tests.ingest.alignment_tables import (
    BLAST,
    DOMTBLOUT,
    FIELDS,
    FIELDS_OF_DIAMOND,
    FIELDS_OF_OLD,
    INFERNAL,
    NHMMER,
    TBLOUT,
    aligned,
    commented,
    evalue,
    hmmer,
    text,
)
from tests.ingest.sample_rows import QRELS, RUN, TREC_QRELS, TREC_RUN

MEASURES = ("nDCG@10", "AP", "P@5", "RR", "Bpref", "Judged@10")


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
    return text(*(f"{topic}\t{name}\t{rank}" for topic, name, rank, _ in with_ranks()))


def in_order(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Rows of one topic behind the other, as files of learning to rank have them."""
    return sorted(rows, key=lambda row: row[0])


def quepid() -> bytes:
    names = ("Team Name", "Case Name", "Case ID", "Query Text", "Doc ID", "Title", "Rating")
    return delimited(names, [("Search", "Shop", 8, t, d, f"Title, {d}", g) for t, d, g, _ in QRELS], ",")


def archive(packing: str, data: str = TREC_RUN) -> bytes:
    stream = io.BytesIO()
    opened: Any = tarfile.open
    with opened(fileobj=stream, mode=f"w:{packing}") as packed:
        for name, content in (("runs/README.md", b"# Runs"), ("runs/r.txt", data.encode())):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def with_ranks() -> list[tuple[Any, ...]]:
    scores = nested(RUN)
    return [
        (topic, name, rank, scores[topic][name])
        for topic, names in ranked().items()
        for rank, name in enumerate(names, start=1)
    ]


def relation(rows: Sequence[Sequence[Any]], names: str) -> duckdb.DuckDBPyRelation:
    """A relation over Parquet, of a connection of its own."""
    path = Path(tempfile.mkdtemp()) / "rows.parquet"
    path.write_bytes(parquet(names.split(", "), rows))
    return duckdb.connect().sql(f"select {names} from '{path}'")


EVALUES = [(topic, name, evalue(score)) for topic, name, score, _ in RUN]
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
    "MS MARCO, scores": ("r.tsv", text(*("\t".join(map(str, row)) for row in with_ranks()))),
    "MS MARCO, header": ("r.tsv", b"qid\tpid\trank\n" + ms_marco()),
    "TREC": ("r.run", TREC_RUN.encode()),
    "tar archive": ("r.tar", archive("")),
    "tar archive, gzip": ("r.tgz", archive("gz")),
    "tar archive, xz": ("r.tar.xz", archive("xz")),
    "BLAST tabular, -outfmt 6": ("r.m8", text(*aligned(RUN))),
    "BLAST tabular, more columns": ("r.tsv", text(*(f"{line}\t220\t290" for line in aligned(RUN)))),
    "BLAST tabular, -outfmt 7": ("r.txt", commented("BLASTP 2.16.0+", FIELDS, aligned(RUN))),
    "BLAST tabular, blastall -m 9": ("r.m9", commented("BLASTP 2.2.26 [Sep-21-2011]", FIELDS_OF_OLD, aligned(RUN))),
    "BLAST tabular, -outfmt '7 qseqid evalue sseqid'": (
        "r.txt",
        commented("BLASTP 2.16.0+", "query id, evalue, subject id",
                  ["\t".join(line.split("\t")[at] for at in (0, 10, 1)) for line in aligned(RUN)]),
    ),
    "DIAMOND": ("r.m8", text(*aligned(RUN), *(f"{t}\t*" + "\t-1" * 10 for t in ("T01", "none")))),
    "DIAMOND, --header verbose": (
        "r.tsv",
        text("# DIAMOND v2.1.9. http://github.com/bbuchfink/diamond", "# Invocation: diamond blastp -q q.faa --header",
             f"# Fields: {FIELDS_OF_DIAMOND}", *aligned(RUN)),
    ),
    "DIAMOND, --header simple": ("r.tsv", text("\t".join(BLAST), *aligned(RUN))),
    "MMseqs2": ("r.m8", text(*aligned(RUN, "0.984"))),
    "MMseqs2, --format-mode 4": (
        "r.tsv",
        text("query\ttarget\tfident\talnlen\tmismatch\tgapopen\tqstart\tqend\ttstart\ttend\tevalue\tbits",
             *aligned(RUN, "0.984")),
    ),
    "HMMER, --tblout": (
        "r.tblout",
        hmmer(TBLOUT, "{d:<20} -          {t:<20} PF1 {e!r:>9} {s:6.1f}   0.1 {e!r} 1.0 0.1   1.0   1   0   0   "
              "1   1   1   1 A kinase # 2"),
    ),
    "HMMER, --domtblout": (
        "r.domtblout",
        hmmer(DOMTBLOUT, "{d:<20} -            120 {t:<20} PF1   110 {e!r:>9} {s:6.1f}   0.1   1   2 1e-3 1e-3 2 "
              "0.1 1 9 1 9 1 9 0.9 A kinase"),
    ),
    "HMMER, nhmmer --tblout": (
        "r.tbl", hmmer(NHMMER, "{d:<20} -          {t:<20} -  1 14 1 14 1 14 14    +   {e!r:>9} {s:6.1f}   1.1  -")
    ),
    "Infernal": (
        "r.tbl",
        hmmer(INFERNAL, "{d:<20} -         {t:<20} RF1   cm        1       72      1       72      +    no    1 "
              "0.5   0.0 {s:6.1f} {e!r:>9} !   a gene"),
    ),
    "CSV of E-values": ("r.csv", delimited(("qid", "docno", "evalue"), EVALUES, ",")),
    "Parquet of E-values": ("r.parquet", parquet(("query", "target", "evalue"), EVALUES)),
    "JSON list of rows, E-values": (
        "r.json", json.dumps(records(("qid", "docno", "evalue"), EVALUES)).encode()
    ),
}  # fmt: skip
# What is left out of a table of alignments, and the tie rule of scores that are E-values.
ALIGNED = ("BLAST", "DIAMOND", "MMseqs2", "HMMER", "Infernal")
RANKINGS = ("JSON rankings", "JSON lines of rankings", "MS MARCO", "MS MARCO, header")
OF_NTCIR = [(topic, name, f"L{grade}" if grade >= 0 else grade) for topic, name, grade, _ in QRELS]
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
    "TREC": ("q.txt", TREC_QRELS.encode()),
    "text with a header": ("q.txt", delimited(("qid", "docno", "label"), [row[:3] for row in QRELS], " ")),
    "tar archive": ("q.tar", archive("", TREC_QRELS)),
    "text of three columns": ("q.txt", text(*(f"{t} {d} {g}" for t, d, g, _ in QRELS))),
    **{
        f"text of three columns, {what}": ("q.txt", b"".join(line.format(t, d, g).encode() for t, d, g, _ in QRELS))
        for what, line in (
            ("several blanks", "{}  {}   {}\n"),
            ("a blank at the end", "{} {} {} \r\n"),
            ("a tab at the end", "{}\t{}\t{}\t\n"),
            ("tabs and blanks", "{} \t{}\t {}\n"),
            ("decimals", "{}\t{}\t{}.0\n"),
        )
    },
    "text of three columns, a comment and a mark": (
        "q.txt", b"\xef\xbb\xbf# judged\n" + text(*(f"{t} {d}  {g}" for t, d, g, _ in QRELS))
    ),
    "text of three columns, grades of NTCIR": ("q.txt", text(*(f"{t} {d} {g}" for t, d, g in OF_NTCIR))),
    "TREC, grades of NTCIR by subtopic": ("q.txt", text(*(f"{t} 1 {d} {g}" for t, d, g in OF_NTCIR))),
    "TSV of BEIR, grades of NTCIR": ("q.tsv", delimited(BEIR, OF_NTCIR, "\t")),
    "CSV, a column judgment": ("q.csv", delimited(("topic", "document", "judgment"), [row[:3] for row in QRELS], ",")),
    "LETOR": (
        "q.txt",
        text(
            *(f"{g} qid:{t} 1:0.03 2:0.66 46:0.07 #docid = {d} inc = 1 prob = 0.14" for t, d, g, _ in in_order(QRELS))
        ),
    ),
    "LETOR, RankLib": ("q.txt", text(*(f"{g} qid:{t} 1:12.3 2:10.5 # {d} rambo" for t, d, g, _ in in_order(QRELS)))),
    "LETOR, Elasticsearch": (
        "q.txt",
        text(
            "# grade (0-4)\tqueryid\t # docId\ttitle",
            "#",
            "# qid:1: rambo",
            "#",
            *(f"{g}\tqid:{t}\t #\t{d}\tRambo" for t, d, g, _ in in_order(QRELS)),
        ),
    ),
    "Quepid": ("q.csv", delimited(("query", "docid", "rating"), [row[:3] for row in QRELS], ",")),
    "Quepid, detailed": ("q.csv", quepid()),
    "MS MARCO": ("q.tsv", "".join(f"{t}\t0\t{d}\t{g}\n" for t, d, g, _ in QRELS).encode()),
}  # fmt: skip
RANKED = [(topic, name, rank) for topic, names in ranked().items() for rank, name in enumerate(names, start=1)]
# Runs as people have them, which the guide does not list.
ODD_RUNS = {
    **{
        f"rankings of three columns, {parted!r}": text(*(f"{t}{parted}{d}{parted}{rank} " for t, d, rank in RANKED))
        for parted in (" ", "  ", " \t")
    },
    **{
        f"scores in the third column, {parted!r}": text(*(f"{t}{parted}{d}{parted}{score!r}" for t, d, score, _ in RUN))
        for parted in ("\t", " ")
    },
    "predictions of MTEB": json.dumps(
        {"mteb_model_meta": {"model_name": "some/model", "revision": "1"}, "default": {"test": nested(RUN)}}
    ).encode(),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "tuples": lambda: [row[:3] for row in RUN],
    "an iterator of tuples": lambda: iter([row[:3] for row in RUN]),
    "dicts": lambda: records(PYTERRIER, RUN),
    "ScoredDoc": lambda: [ir_measures.ScoredDoc(*row[:3]) for row in RUN],
    "rankings": ranked,
    "nested dicts": lambda: nested(RUN),
    "pandas": lambda: pandas.DataFrame(records(PYTERRIER, RUN)),
    "polars": lambda: polars.DataFrame(records(IR_MEASURES, RUN)),
    "Arrow": lambda: pyarrow.Table.from_pylist(records(RANX, RUN)),
    "DuckDB": lambda: relation(RUN, "qid, docno, score"),
}
QRELS_FRAMES: dict[str, Callable[[], Any]] = {
    "tuples": lambda: [row[:3] for row in QRELS],
    "dicts": lambda: records(("qid", "docno", "label"), QRELS),
    "Qrel": lambda: [ir_measures.Qrel(*row) for row in QRELS],
    "nested dicts": lambda: nested(QRELS),
    "pandas": lambda: pandas.DataFrame(records(("qid", "docno", "label"), QRELS)),
    "polars": lambda: polars.DataFrame(records(("query_id", "doc_id", "relevance"), QRELS)),
    "Arrow": lambda: pyarrow.Table.from_pylist(records(BEIR, QRELS)),
    "DuckDB": lambda: relation(QRELS, "qid, docno, label"),
}
