"""Runs and judgments that are none, or whose rows cannot be used, and what the refusal of each says."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import zipfile
from typing import Any

import pandas
import pyarrow
from pyarrow import parquet as parquet_files

from tests.ingest.sample_rows import RUN, TREC_RUN
from tests.ingest.variants import RANX, RUNS, feathered, lines, nested, parquet, streamed

DEEP = "[" * 5000 + "]" * 5000
COLUMNS = pandas.DataFrame([row[:3] for row in RUN], columns=["qid", "docno", "score"])
NAME_THEM = ".*; --columns topic=NAME,document=NAME,score=NAME says which"
PLAIN = {"qid": "T1", "docs": ["a", "b"]}
SCORED = {"qid": "T1", "docs": ["a", "b"], "scores": [2.5, 1e-180]}
HITS = {"qid": "T1", "hits": [{"docid": "a", "score": 2.5, "title": "A"}]}
ROWS_ABOVE = [{"qid": "T1", "docno": f"d{at}", "score": at} for at in range(200)]
TWICE = "2 columns could be the topic: qid, QID; --columns topic=NAME"
IN_TWO_CASES = {"qid": "1", "QID": "2", "docno": "a", "score": 3}
ONE_NAME = pyarrow.table([["other"], ["d1"], [2.0], ["q1"]], names=["qid", "docno", "score", "qid"])
HITS_OF_12 = "".join(
    f"{q}\tsp|P{d}\t{90 + d}.5\t{200 - d}\t{d}\t0\t1\t200\t3\tx{d}\ty{90 - d}\t{300 - d}\n"
    for q in (1, 2)
    for d in range(1, 6)
)
MIXED = "some topics have scores and others are rankings without"


def zipped() -> bytes:
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as packed:
        packed.writestr("r.run", TREC_RUN)
    return stream.getvalue()


def without_utf8() -> pyarrow.Table:
    """A table of Arrow whose text is none, as a writer may leave it: nothing checks text that is put together so."""
    offsets = struct.pack("<3i", 0, 2, 5)
    names = pyarrow.StringArray.from_buffers(2, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"T1T\xff1"))
    return pyarrow.table({"qid": names, "docno": names, "score": [1.0, 2.0]})


def parquet_of(table: pyarrow.Table) -> bytes:
    parquet_files.write_table(table, stream := io.BytesIO())
    return stream.getvalue()


REFUSED: dict[str, tuple[bytes | str, str]] = {
    "a PDF document": (b"%PDF-1.7\n", "is a PDF document"),
    "a workbook": (b"PK\x03\x04....xl/workbook.xml", "is an Excel workbook, .*export the sheet as CSV"),
    "a zip archive": (zipped(), "is a zip archive, neither a run nor judgments; unpack it first"),
    "an HTML page": (b"\n<!DOCTYPE html><html>404</html>", "is an HTML page"),
    "a pickle": (pickle.dumps({"q": 1}), "is a Python pickle"),
    **{
        f"text in {encoding}": (TREC_RUN.encode(encoding), "is text in UTF-16, .*save it as UTF-8")
        for encoding in ("utf-16", "utf-16-le", "utf-16-be")
    },
    **{
        f"JSON, not UTF-8, indent {indent}": (
            json.dumps({"T01": {"d1": 1.0, "d\u00e9": 2.0}}, ensure_ascii=False, indent=indent).encode("latin-1"),
            f"r:{line}: JSON: not UTF-8 text",
        )
        for indent, line in ((None, 1), (1, 4))
    },
    "JSON, half a letter": ('{"T01": {"d\\ud800": 2.5}}', "r: JSON.* document .*no UTF-8"),
    "JSON lines, half a letter": (
        '{"qid": "T01", "docno": "d\\ud800", "score": 1}\n' * 2, "r: JSON lines.* document .*no UTF-8"
    ),
    **{
        f"{written.__name__}, not UTF-8": (written(without_utf8()), "UTF-?8")
        for written in (feathered, streamed, parquet_of)
    },
    "Feather, two of a name": (feathered(ONE_NAME), "2 columns are called qid"),
    "CSV, in two cases": ("qid,QID,docno,score\n1,2,a,3\n", f"r:1: CSV: {TWICE}"),
    "JSON lines, in two cases": (lines([IN_TWO_CASES]), f"r:1: JSON lines: {TWICE}"),
    **{
        f"another table, {place}": (text, f"r:{place} that are not those of a run")
        for text, place in (
            (HITS_OF_12, "1: 12 columns"),
            ("# ours 2.16\n" + HITS_OF_12, "2: 12 columns"),
            ("".join(f"1\twhat\tid{d}\tno-{d}\t{d}\t{9 - d / 7}\n" for d in range(1, 6)), "1: 6 columns"),
            ("".join(f"t Q0 d{d} {d} {9 - d} tag {d * 17}\n" for d in range(1, 6)), "1: 7 columns"),
        )
    },
    "values": (b"map                   \tall\t0.25\n", "is output of trec_eval"),
    "values of topics": (b"ndcg_cut_10           \tT01\t0.25\n", "is output of trec_eval"),
    "values without blanks": (b"Rprec_mult_0.20\tall\t0.25\n", "is output of trec_eval, neither a run nor"),
    "Parquet": (RUNS["Parquet"][:2000], "cannot be read as Parquet: "),
    "Arrow": (RUNS["Feather"][:300], "cannot be read as Arrow: "),
    "JSON": (RUNS["JSON dict of dicts"][:-9], "r:1: broken JSON: "),
    "JSON, a name twice": (b'{"q": {"d": 1, "d": 2}}', "JSON: d stands more than once in one object"),
    "JSON of numbers": (b'{"T01": {"d1": "high"}}', r'JSON, row 1: score "high" is not a number \(topic T01, doc'),
    "CSV, no header": (b"T01,d1,0.5\n", "r:1: CSV: the first line is no header"),
    "CSV, others": (b"a,b,c\nT01,d1,0.5\n", r"r:1: CSV: there is no column for the topic: .*found a, b, c; --columns"),
    "CSV, two of a name": (b"qid,docno,score,score\n", "r:1: CSV: 2 columns are called score"),
    "CSV, no rows": (b"qid,docno,score\n", "r: CSV: holds no rows"),
    "Parquet, others": (parquet(("a", "b"), [(1, 2)]), "r: Parquet: there is no column for the topic: .*found a, b; "),
    "Parquet, odd names": (parquet(RANX, [(1.5, "d", 2.0)]), "r: Parquet: column q_id is of type DOUBLE"),
    "Parquet, no number": (
        parquet(RANX, [("T01", "d1", 1.0), ("T01", "d2", float("nan")), ("T01", None, 1.0)]),
        r'Parquet, row 2: score "nan" is not a number \(topic T01, document d2\)\n.*row 3: document is missing',
    ),
    "Parquet, repeated": (
        parquet(RANX, [("T01", "d1", 1.0), ("T01", "d1", 2.0)]),
        "r: Parquet, row 2: document d1 of topic T01 already stands at row 1\nnothing was loaded\n--keep-best",
    ),
    "CSV, repeated": (
        b"qid,docno,score\nT01,d1,1\n\nT01,d1,2\n",
        "r:4: CSV: document d1 of topic T01 already stands at line 2",
    ),
    "CSV, not UTF-8": (
        b"qid,docno,score\nT01,d1,1\nT01,d\xff,2\n", "r:3: CSV: not UTF-8 text; iconv -f latin1 -t utf-8 converts"
    ),
    "CSV, decimal commas": (b"qid;docno;score\nT01;d1;0,53\n", 'score "0,53" is not a number; write it with a point'),
    "TREC, thousands": (b"T01 Q0 d1 1 1,003.5 x\n", 'r:1: score "1,003.5" is not a number; write it with a point'),
    "CSV, a word": (b"qid,docno,score\nT01,d1,\"a,b\"\n", 'score "a,b" is not a number\n'),
    "JSON, blank names": (
        '{"T01": {" ": 1, "\u00a0": 2}}'.encode(), "row 1: document is missing .*\n.*row 2: document is missing"
    ),
    "JSON, no predictions": (b'{"mteb_model_meta": {}}', "JSON: predictions of MTEB are of one .*, and here of 0\n"),
    "MS MARCO with scores": (b"T01\td1\t25\nT01\td2\t24\n", "MS MARCO run: topic T01 has no rank 1, its first is 24"),
    "rankings and scores": (b'{"T01": ["d1"], "T02": {"d1": 1}}', "JSON: some topics have scores and others"),
    "whole scores in the third column": (
        "T01 d1 -1\nT01 d2 1.0\n",
        "r: run of three columns: the third column holds whole numbers alone, as grades and ranks are",
    ),
    "responses of a search engine": (
        json.dumps({"T01": {"took": 3, "hits": {"hits": [{"_id": f"d{at}", "_score": 9 - at} for at in range(9)]}}}),
        r'r: JSON, row 2: score ".{60}\.\.\." is not a number \(topic T01, document hits\)',
    ),
    "predictions of MTEB for two splits": (
        json.dumps({"mteb_model_meta": {}, "en": {"dev": nested(RUN), "test": nested(RUN)}}),
        r"r: JSON: predictions of MTEB are of one subset and split in a file, and here of 2: en dev, en test; .*",
    ),
    "carriage returns, run": (TREC_RUN.replace("\n", "\r"), "r: all lines end with a carriage return alone, .*tr "),
    "carriage returns, table": ("qid,docno,score\rq,d,1\r", "r: all lines end with a carriage return alone, .*tr "),
    "one carriage return": ("q Q0 d\r 1 2 x\nq Q0 e 2 1 x\n", "r:1: holds a carriage return that ends no line"),
    "JSON, cut while it was packed": (
        gzip.compress(json.dumps({f"T{at}": {f"d{at * 7919}": at / 7} for at in range(9000)}).encode())[:-5000],
        "r: cannot be read: Compressed file ended",
    ),
    "JSON, deep": (DEEP, "r: JSON: nested too deeply"),
    "JSON lines, deep": ('{"T01": ["d1"]}\n{"T02": ' + DEEP + "}\n", "r:2: JSON lines: nested too deeply"),
    "JSON, columns": (COLUMNS.to_json(), r"r: JSON: is a table column by column \(qid, docno, score\), .*records"),
    "JSON, columns of numbers": (
        json.dumps({"qid": {"0": 1}, "docno": {"0": 7}, "score": {"0": 0.5}}, indent=1),
        r"r: JSON: is a table column by column",
    ),
    "quotation marks, never closed": ('qid,docno,score,text\n1,a,3,x\n1,b,2,"y\n2,a,1,z\n',
        "r:3: CSV: a quotation mark .* none ends it"),
    "quotation marks, text behind": ('qid,docno,score,text\n1,a,3,"x" y\n1,b,2,y\n',
        "r:2: CSV: text follows the quotation mark"),
    "quotation marks, a long rest": (
        'qid,docno,score,text\n1,a,3,"x\n' + "1,b,2,y\n" * 20_000,
        "r:2: CSV: a value is longer than .*perhaps a quotation mark is never closed",
    ),
    "quotation marks, a bad number below": (
        'qid\tdocno\tscore\ttext\n1\ta\t3\t"hello" he said\n1\tb\t2\t"x\n2\ta\t1\ty\n2\tb\tx\tz\n',
        'r:5: TSV: score "x" is not a number',
    ),
    "a table without a header": ("1,Q0,a,1,3.0,tag\n1,Q0,b,2,2.0,tag\n", "r:1: CSV: the first line is no header"),
    "header, a column before the topic": ("system query_id item rank score\nx 5 a 1 2.0\n",
        "the header calls column 2 query_id, .* topic in column 1" + NAME_THEM),
    "header, topic in the document's column": ("item query rank score tag\na 5 1 2.0 3\n",
        "the header calls column 2 query, .* topic in column 1" + NAME_THEM),
    "header, a header below a comment": ("\n# by hand\nrun\tqid\titem\trank\tscore\tnote\nx\t5\ta\t1\t2.0\ty\n",
        "r:3: .* column 2 qid" + NAME_THEM),
    **{f"JSON {at}": case for at, case in enumerate((
        ('{"T1": {"a": 1}, "T2": null}', "topic T2: expected {document: score}"),
        ('{"T1": {"a": 1}, "T2": {"b": null}}', "score is missing .topic T2, document b"),
        ('{"T1": {"a": 1}, "T2": {"b": "1_0"}}', 'score "1_0" is not a number'),
        ('{"T1": {"a": 1}, "T2": {"b": {"c": 1}}}', "is not a number"),
        ('{"T1": {"a": 1}, "T2": {"b": NaN}}', "is not a number"),
        ('{"T1": {"a": 1}, "T2": {"": 1}}', "document is missing"),
        ('{"T1": {"a": 1}} null', "broken JSON: Extra data"),
        ('{"T1": {"a": 1}, "T1": {"b": 1}}', "T1 stands more than once in one object"),
        ('{"qid":{"0":"T1"},"docno":{"0":"a"},"score":{"0":1.5}}', "table column by column"),
        *((text, r"holds no rows|no field|expected") for text in (
            '{"T1": [], "T2": []}', '{"T1": {}}', '{"qid": "T1", "docs": []}', "{}", "[]",
        )),
        (lines([PLAIN, {**SCORED, "qid": "T2"}]), MIXED),
        *((lines([SCORED, second]), told) for second, told in (
            ({"qid": "T2", "docs": ["c", "d"], "scores": [1]}, "2 documents and 1 scores"),
            ({"qid": "T2", "docs": ["c"], "scores": [1, 2]}, "1 documents and 2 scores"),
            ({"qid": "T2", "docs": ["c", None], "scores": [1, 2]}, "document is missing"),
            ({"qid": "T2", "docs": ["c"], "scores": ["high"]}, 'score "high" is not a number'),
            ({"qid": None, "docs": ["c"], "scores": [1]}, "topic is missing"),
            ({"docs": ["c"], "scores": [1]}, MIXED),
        )),
        *((lines([HITS, {"qid": "T2", "hits": [hit]}]), told) for hit, told in (
            ({"docid": "b"}, f"score is missing|{MIXED}"),
            ({"score": 1}, "document is missing"),
            ({"docid": "b", "score": "high"}, 'score "high" is not a number'),
            ("b", MIXED),
        )),
        *((json.dumps([*ROWS_ABOVE, last]), told) for last, told in (
            ({"qid": "T1", "docno": "z"}, "row 201: score is missing .topic T1, document z"),
            ({"qid": "T1", "docno": "z", "score": "1_0"}, 'row 201: score "1_0" is not a number'),
            (["T1", "z", 1], "row 201: expected a dict as in the rows above, found list"),
            ({"qid": "T1", "docno": "d0", "score": 1}, "row 201: document d0 of topic T1 already stands at row 1"),
        )),
    ))},
}  # fmt: skip


# Data in memory.
FRAME = pandas.DataFrame([row[:3] for row in RUN], columns=["qid", "docno", "score"])
HALF_A_LETTER = pandas.DataFrame({"qid": ["1"], "docno": ["d\ud800"], "score": [1]}, dtype=object)
REFUSED_FRAMES: dict[str, tuple[Any, str]] = {
    "sparse": (FRAME.assign(score=pandas.arrays.SparseArray(FRAME.score)), "Sparse"),
    "records of numpy": (FRAME.to_records(index=False), "data of type recarray is neither"),
    "an index": (FRAME.set_index(list(FRAME.columns[:2])), r"; the index has .*, which reset_index\(\) makes columns$"),
    "None": (None, "data of type NoneType is neither nested dicts nor a table to read$"),
    "dict, half a letter": ({"t1": {"d\udc80": 1.0}}, "column document holds text that has no UTF-8"),
    "row, half a letter": ([("t1", "d\udc80", 1.0)], "column document holds text that has no UTF-8"),
    "rows, half a letter": ([("T01", "d\ud800", 1.0)] * 20_000, "no UTF-8"),
    "frame, half a letter": (HALF_A_LETTER, "column docno holds text that has no UTF-8"),
    "Arrow without UTF-8": (without_utf8(), "UTF-?8"),
    "frame, in two cases": (pandas.DataFrame([IN_TWO_CASES]), TWICE),
    "dicts, in two cases": ([IN_TWO_CASES], TWICE),
    "frame, two of a name": (pandas.DataFrame([[1, 2, 3, 4]], columns=[*FRAME, "score"]), "2 columns are called score"),
    **{
        f"Arrow, two of a name, {type(data).__name__}": (data, "2 columns are called qid")
        for data in (ONE_NAME, ONE_NAME.to_batches()[0], ONE_NAME.to_reader())
    },
    "no names": (FRAME.rename(columns={"qid": "thema"}), "there is no column for the topic"),
    "dicts, no names": ([{"thema": "1", "docno": "a", "score": 1}], "there is no column for the topic"),
    "a set in a ranking": ([{"qid": "1", "docs": frozenset({"d1", "d2"})}], "topic 1: a set has no order"),
}  # fmt: skip

# Judgments: text, form, and what is said.
REFUSED_QRELS: list[tuple[str, str, str]] = [
    ("a b\n", "grades", "two columns without a header: --form pairs takes .* --form families for an id and its fam"),
    ("a b c\n", "families", "r:1: families: 3 columns, expected 2: id and family"),
    ("a f\nb f g\nc\n", "families", "r:2: families: 3 columns, expected 2: member, family\n.*r:3: families: 1 column"),
    ("a f\nb g\n", "families", "no family has two members that could be relevant to each other"),
    ("a a\n", "pairs", "r: pairs: no pairs"),
    ("qid,docno\na,b\n", "grades", "there is no column for the grade: .*--form pairs takes every row for relevant"),
    ("row query_id thing label\n0 5 25434 2\n", "grades",
     "r:1: the header calls column 2 query_id, .* topic in column 1.*; --columns .*grade=NAME says which"),
    ("topic passage iteration relevance\n5 a 0 1\n", "grades",
     "r:1: the header calls column 3 iteration, .* iteration in column 2.*; --columns .*grade=NAME says which"),
    ('{"questions": [{"id": "1", "documents": ["a", "b"], "snippets": []}]}', "grades", "says nothing of their grade"),
]  # fmt: skip
