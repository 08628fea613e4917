"""Runs and judgments in every format, as real tools write them, of the same data as the sample's TREC files."""

import bz2
import csv
import gzip
import io
import json
import lzma
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import ir_measures
import pandas
import polars
import pyarrow
from pyarrow import feather, ipc

from tests.ingest.sample_rows import QRELS, RUN, TREC_QRELS, TREC_RUN
from tests.long_cases import content, rows_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKS: dict[str, Callable[[bytes], bytes]] = {
    **{"gzip": gzip.compress, "zstd": zstd.compress, "bz2": bz2.compress, "xz": lzma.compress}
}
Rows = Sequence[Sequence[Any]]
MEASURES = ("nDCG@10", "AP", "P@5", "RR", "Bpref", "Judged@10")


def nested(rows: Rows) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for topic, document, value, *_ in rows:
        found.setdefault(topic, {})[document] = value
    return found


def ranked() -> dict[str, list[str]]:
    """The documents of each topic in the order of trec_eval: by score, of equal ones the greater name first."""
    order = {topic: sorted(of, key=lambda name: (of[name], name), reverse=True) for topic, of in nested(RUN).items()}
    assert len(order) > 10
    return order


def delimited(names: Sequence[str], rows: Rows, delimiter: str) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return stream.getvalue().encode()


def lines(rows: Sequence[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def records(names: Sequence[str], rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=False)) for row in rows]


def parquet(names: Sequence[str], rows: Rows) -> bytes:
    polars.DataFrame(records(names, rows)).write_parquet(stream := io.BytesIO())
    return stream.getvalue()


def by_pandas(names: Sequence[str], rows: Rows) -> bytes:
    pandas.DataFrame(records(names, rows)).to_parquet(stream := io.BytesIO())
    return stream.getvalue()


def feathered(table: pyarrow.Table) -> bytes:
    feather.write_feather(table, stream := io.BytesIO())
    return stream.getvalue()


def streamed(table: pyarrow.Table) -> bytes:
    with ipc.new_stream(stream := io.BytesIO(), table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


def archive(packing: str, data: str = TREC_RUN) -> bytes:
    stream = io.BytesIO()
    opened: Any = tarfile.open
    with opened(fileobj=stream, mode=f"w:{packing}") as packed:
        for name, content in (("runs/README.md", b"# Runs"), ("runs/r.txt", data.encode())):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def zipped(data: str = TREC_RUN) -> bytes:
    with zipfile.ZipFile(stream := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("runs/README.md", "# Runs")
        packed.writestr("runs/r.txt", data)
    return stream.getvalue()


def relation(names: Sequence[str], rows: Rows) -> duckdb.DuckDBPyRelation:
    """A relation over Parquet, of a connection of its own."""
    path = Path(tempfile.mkdtemp()) / "rows.parquet"
    path.write_bytes(parquet(names, rows))
    return duckdb.connect().sql(f"select {', '.join(names)} from '{path}'")


def frames(names: Sequence[str], rows: Rows) -> dict[str, Callable[[], Any]]:
    """What holds rows in memory."""
    found = records(names, rows)
    return {
        "tuples": lambda: [row[:3] for row in rows],
        "dicts": lambda: found,
        "nested dicts": lambda: nested(rows),
        "pandas": lambda: pandas.DataFrame(found),
        "pandas, categories": lambda: pandas.DataFrame(found).astype({names[0]: "category"}),
        "polars": lambda: polars.DataFrame(found),
        "polars, lazy": lambda: polars.LazyFrame(found),
        "Arrow": lambda: pyarrow.Table.from_pylist(found),
        "Arrow, a reader": lambda: pyarrow.Table.from_pylist(found).to_reader(),
        "DuckDB": lambda: relation(names, rows),
    }


# Tables of E-values as BLAST, DIAMOND, MMseqs2, HMMER and Infernal write them


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


SCORES = nested(RUN)
WITH_RANKS = [(topic, name, rank, SCORES[topic][name])
              for topic, names in ranked().items() for rank, name in enumerate(names, start=1)]  # fmt: skip
RANKED = [row[:3] for row in WITH_RANKS]
MS_MARCO = text(*("\t".join(map(str, row)) for row in RANKED))
EVALUES = [(topic, name, evalue(score)) for topic, name, score, _ in RUN]
PYTERRIER, IR_MEASURES = ("qid", "docno", "score", "rank"), ("query_id", "doc_id", "score", "rank")
RANX, BEIR = ("q_id", "doc_id", "score"), ("query-id", "corpus-id", "score")
LABELS = ("qid", "docno", "label")
HITS = {topic: [{"docid": name, "score": score} for name, score in of.items()] for topic, of in SCORES.items()}
WITH_INDEX = delimited(("", *PYTERRIER), [(at, *row) for at, row in enumerate(RUN)], ",").replace(b"\n", b"\r\n")
SOME_LATER = [{"note": 1, **record} if at else record for at, record in enumerate(records(RANX, RUN))]
RUNS: dict[str, bytes] = {
    "Parquet": parquet(IR_MEASURES, RUN),
    "Parquet of pandas": by_pandas(RANX, RUN),
    "Feather": feathered(frames(PYTERRIER, RUN)["Arrow"]()),
    "Arrow stream": streamed(frames(PYTERRIER, RUN)["Arrow"]()),
    "CSV": delimited(PYTERRIER, RUN, ","),
    "CSV, other case": b"\xef\xbb\xbf" + delimited(("QID", "DocNo", "Score", "Rank"), RUN, ","),
    "CSV with semicolons": delimited(PYTERRIER, RUN, ";"),
    "CSV with bars": delimited(PYTERRIER, RUN, "|"),
    "CSV of Excel": b"sep=;\r\n" + delimited(PYTERRIER, RUN, ";"),
    "CSV with an index": WITH_INDEX,
    "TSV": delimited(IR_MEASURES, RUN, "\t"),
    "TSV of BEIR": delimited(BEIR, [row[:3] for row in RUN], "\t"),
    "text with a header": delimited(PYTERRIER, RUN, " "),
    "JSON dict of dicts": json.dumps(SCORES).encode(),
    "JSON dict of dicts, indented": json.dumps(SCORES, indent=2).encode(),
    "JSON list of rows": json.dumps(records(RANX, RUN)).encode(),
    "JSON rankings": json.dumps(ranked()).encode(),
    "JSON lines": lines(records(RANX, RUN)),
    "JSON lines, some fields only later": lines(SOME_LATER),
    "JSON lines of rankings": lines([{"qid": topic, "docs": names} for topic, names in ranked().items()]),
    "JSON lines of rankings with scores": lines(
        [{"qid": topic, "docids": [*of], "scores": [*of.values()]} for topic, of in SCORES.items()]
    ),
    "JSON lines of hits": lines([{"query_id": topic, "hits": hits} for topic, hits in HITS.items()]),
    "JSON lines of topics": lines([{topic: of} for topic, of in SCORES.items()]),
    "MS MARCO": MS_MARCO,
    "MS MARCO, scores": text(*("\t".join(map(str, row)) for row in WITH_RANKS)),
    "MS MARCO, header": b"qid\tpid\trank\n" + MS_MARCO,
    "TREC": TREC_RUN.encode(),
    "tar archive": archive(""),
    "tar archive, gzip": archive("gz"),
    "tar archive, xz": archive("xz"),
    "zip archive": zipped(),
    "BLAST tabular, -outfmt 6": text(*aligned(RUN)),
    "BLAST tabular, more columns": text(*(f"{line}\t220\t290" for line in aligned(RUN))),
    "BLAST tabular, -outfmt 7": commented("BLASTP 2.16.0+", FIELDS, aligned(RUN)),
    "BLAST tabular, blastall -m 9": commented("BLASTP 2.2.26 [Sep-21-2011]", FIELDS_OF_OLD, aligned(RUN)),
    "BLAST tabular, -outfmt '7 qseqid evalue sseqid'": commented(
        "BLASTP 2.16.0+", "query id, evalue, subject id",
        ["\t".join(line.split("\t")[at] for at in (0, 10, 1)) for line in aligned(RUN)],
    ),
    "DIAMOND": text(*aligned(RUN), *(f"{topic}\t*" + "\t-1" * 10 for topic in ("T01", "none"))),
    "DIAMOND, --header verbose": text(
        "# DIAMOND v2.1.9. http://github.com/bbuchfink/diamond", "# Invocation: diamond blastp -q q.faa --header",
        f"# Fields: {FIELDS_OF_DIAMOND}", *aligned(RUN),
    ),
    "DIAMOND, --header simple": text("\t".join(BLAST), *aligned(RUN)),
    "MMseqs2": text(*aligned(RUN, "0.984")),
    "MMseqs2, --format-mode 4": text(
        "query\ttarget\tfident\talnlen\tmismatch\tgapopen\tqstart\tqend\ttstart\ttend\tevalue\tbits",
        *aligned(RUN, "0.984"),
    ),
    **{name: hmmer(content(header), row) for name, header, row in rows_of(Path(__file__).with_name("alignments.tsv"))},
    "CSV of E-values": delimited(("qid", "docno", "evalue"), EVALUES, ","),
    "Parquet of E-values": parquet(("query", "target", "evalue"), EVALUES),
    "JSON list of rows, E-values": json.dumps(records(("qid", "docno", "evalue"), EVALUES)).encode(),
}  # fmt: skip
# Those of E-values by their format, and those without scores.
ALIGNED = ("BLAST", "DIAMOND", "MMseqs2", "HMMER", "Infernal")
RANKINGS = ("JSON rankings", "JSON lines of rankings", "MS MARCO", "MS MARCO, header")
GRADES = [row[:3] for row in QRELS]
BY_TOPIC = sorted(GRADES, key=lambda row: row[0])  # as files of learning to rank have them
OF_NTCIR = [(topic, name, f"L{grade}" if grade >= 0 else grade) for topic, name, grade in GRADES]
TITLES = ("Team Name", "Case Name", "Case ID", "Query Text", "Doc ID", "Title", "Rating")
LETOR = "{2} qid:{0} 1:0.03 2:0.66 46:0.07 #docid = {1} inc = 1 prob = 0.14\n"
ELASTICSEARCH = "# grade (0-4)\tqueryid\t # docId\ttitle\n#\n# qid:1: rambo\n#\n"


def each(line: str, rows: Rows = GRADES) -> bytes:
    return "".join(line.format(*row) for row in rows).encode()


QRELS_FILES: dict[str, bytes] = {
    "Parquet": parquet(("query_id", "doc_id", "relevance", "iteration"), QRELS),
    "Parquet of pandas": by_pandas(("q_id", "doc_id", "score"), QRELS),
    "Feather": feathered(frames(LABELS, QRELS)["Arrow"]()),
    "Arrow stream": streamed(frames(LABELS, QRELS)["Arrow"]()),
    "CSV": delimited(("qid", "docno", "label", "iteration"), QRELS, ","),
    "TSV": delimited(("query_id", "doc_id", "relevance", "iteration"), QRELS, "\t"),
    "TSV of BEIR": delimited(BEIR, GRADES, "\t"),
    "JSON dict of dicts": json.dumps(nested(QRELS)).encode(),
    "JSON list of rows": json.dumps(records(("q_id", "doc_id", "score"), QRELS)).encode(),
    "JSON lines": lines(records(("query_id", "doc_id", "relevance", "iteration"), QRELS)),
    "JSON lines of topics": lines([{topic: of} for topic, of in nested(QRELS).items()]),
    "TREC": TREC_QRELS.encode(),
    "text with a header": delimited(LABELS, GRADES, " "),
    "tar archive": archive("", TREC_QRELS),
    "zip archive": zipped(TREC_QRELS),
    "text of three columns": each("{} {} {}\n"),
    "text of three columns, several blanks": each("{}  {}   {}\n"),
    "text of three columns, a blank at the end": each("{} {} {} \r\n"),
    "text of three columns, a tab at the end": each("{}\t{}\t{}\t\n"),
    "text of three columns, tabs and blanks": each("{} \t{}\t {}\n"),
    "text of three columns, decimals": each("{}\t{}\t{}.0\n"),
    "text of three columns, a comment and a mark": b"\xef\xbb\xbf# judged\n" + each("{} {}  {}\n"),
    "text of three columns, grades of NTCIR": each("{} {} {}\n", OF_NTCIR),
    "TREC, grades of NTCIR by subtopic": each("{} 1 {} {}\n", OF_NTCIR),
    "TSV of BEIR, grades of NTCIR": delimited(BEIR, OF_NTCIR, "\t"),
    "CSV, a column judgment": delimited(("topic", "document", "judgment"), GRADES, ","),
    "LETOR": each(LETOR, BY_TOPIC),
    "LETOR, RankLib": each("{2} qid:{0} 1:12.3 2:10.5 # {1} rambo\n", BY_TOPIC),
    "LETOR, Elasticsearch": ELASTICSEARCH.encode() + each("{2}\tqid:{0}\t #\t{1}\tRambo\n", BY_TOPIC),
    "Quepid": delimited(("query", "docid", "rating"), GRADES, ","),
    "Quepid, detailed": delimited(TITLES, [("Search", "Shop", 8, t, d, f"Title, {d}", g) for t, d, g in GRADES], ","),
    "MS MARCO": each("{}\t0\t{}\t{}\n"),
}
# Runs as people have them, which the guide does not list.
ODD_RUNS = {
    "rankings of three columns, blanks": each("{} {} {} \n", RANKED),
    "rankings of three columns, two blanks": each("{}  {}  {} \n", RANKED),
    "rankings of three columns, blanks and tabs": each("{} \t{} \t{} \n", RANKED),
    "scores in the third column, tabs": each("{}\t{}\t{!r}\n", RUN),
    "scores in the third column, blanks": each("{} {} {!r}\n", RUN),
}
FRAMES: dict[str, Callable[[], Any]] = {
    **frames(PYTERRIER, RUN),
    "an iterator of tuples": lambda: iter([row[:3] for row in RUN]),
    "ScoredDoc": lambda: [ir_measures.ScoredDoc(*row[:3]) for row in RUN],
    "rankings": ranked,
}
QRELS_FRAMES: dict[str, Callable[[], Any]] = {
    **frames(("query_id", "doc_id", "relevance"), QRELS),
    "Qrel": lambda: [ir_measures.Qrel(*row) for row in QRELS],
}
