"""Runs that are none, or whose rows cannot be used, which a program makes; those of text are in ``refused.tsv``."""

import gzip
import io
import json
import random
import struct
from typing import Any

import pandas
import pyarrow
from pyarrow import parquet as parquet_files

from tests.ingest.sample_rows import RUN, TREC_RUN
from tests.ingest.variants import RANX, RUNS, feathered, nested, parquet, streamed

DEEP = "[" * 5000 + "]" * 5000
FRAME = pandas.DataFrame([row[:3] for row in RUN], columns=["qid", "docno", "score"])
ROWS_ABOVE = [{"qid": "T1", "docno": f"d{at}", "score": at} for at in range(200)]
TWICE = "2 columns could be the topic: qid, QID; --columns topic=NAME"
IN_TWO_CASES = {"qid": "1", "QID": "2", "docno": "a", "score": 3}
ONE_NAME = pyarrow.table([["other"], ["d1"], [2.0], ["q1"]], names=["qid", "docno", "score", "qid"])


def without_utf8() -> pyarrow.Table:
    """A table of Arrow whose text is none, as a writer may leave it: nothing checks text that is put together so."""
    offsets = struct.pack("<3i", 0, 2, 5)
    names = pyarrow.StringArray.from_buffers(2, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"T1T\xff1"))
    return pyarrow.table({"qid": names, "docno": names, "score": [1.0, 2.0]})


def parquet_of(table: pyarrow.Table) -> bytes:
    parquet_files.write_table(table, stream := io.BytesIO())
    return stream.getvalue()


def of_said_one_system() -> bytes:
    """Rows of two systems, in a Parquet file that says of them that the greatest name is the least one."""
    rows = {"qid": ["T1", "T2"], "docno": ["d1", "d2"], "score": [2.0, 1.0], "system": ["one", "two"]}
    parquet_files.write_table(pyarrow.table(rows), stream := io.BytesIO(), compression="none", use_dictionary=False)
    return b"one".join(stream.getvalue().rsplit(b"two", 1))  # the values stand before what is said of them


REFUSED: list[tuple[bytes | str, str]] = [
    (random.Random(1).randbytes(4000), "^\\S+/r: is binary data, neither a run nor judgments\nnothing was loaded$"),
    (
        b"PK\x03\x04" + bytes(40) + b"xl/workbook.xml",
        "is an Excel workbook, neither a run nor judgments; export the sheet",
    ),
    (gzip.compress(gzip.compress(b"1 Q0 d1 1 2.5 x\n")), "r: is compressed by gzip twice, .*; gunzip unpacks it once"),
    (b"PK\x03\x04" + bytes(40), "cannot be read as a zip archive: "),
    (
        gzip.compress(b"\n" * 70_000 + TREC_RUN.encode()),
        "is blank where it begins, neither a run nor judgments; without",
    ),
    *(
        (TREC_RUN.encode(code), "is text in UTF-16, .*save it as UTF-8")
        for code in ("utf-16", "utf-16-le", "utf-16-be")
    ),
    *((written(without_utf8()), "UTF-?8") for written in (feathered, streamed, parquet_of)),
    (feathered(ONE_NAME), "2 columns are called qid"),
    (RUNS["Parquet"][:2000], "cannot be read as Parquet: "),
    (RUNS["Feather"][:300], "cannot be read as Arrow: "),
    (RUNS["JSON dict of dicts"][:-9], "r:1: broken JSON: "),
    (parquet(("a", "b"), [(1, 2)]), "r: Parquet: there is no column for the topic: .*found a, b; "),
    (of_said_one_system(), "r: Parquet: the column system names several systems"),
    (parquet(RANX, [(1.5, "d", 2.0)]), "r: Parquet: column q_id is of type DOUBLE"),
    (
        parquet(RANX, [("T01", "d1", 1.0), ("T01", "d2", float("nan")), ("T01", None, 1.0)]),
        r'Parquet, row 2: score "nan" is not a number \(topic T01, document d2\)\n.*row 3: document is missing',
    ),
    (
        parquet(RANX, [("T01", "d1", 1.0), ("T01", "d1", 2.0)]),
        "r: Parquet, row 2: document d1 of topic T01 already stands at row 1\nnothing was loaded\n--keep-best",
    ),
    (
        json.dumps({"en": {"dev": nested(RUN), "test": nested(RUN)}, "mteb_model_meta": {}}),
        "r: JSON: predictions of MTEB for several subsets or splits begin with mteb_model_meta, as it writes them",
    ),
    (TREC_RUN.replace("\n", "\r"), "r: all lines end with a carriage return alone, .*tr "),
    (
        gzip.compress(json.dumps({f"T{at}": {f"d{at * 7919}": at / 7} for at in range(9000)}).encode())[:-5000],
        "r: cannot be read: Compressed file ended",
    ),
    (DEEP, "r: JSON: nested too deeply"),
    ('{"T01": ["d1"]}\n{"T02": ' + DEEP + "}\n", "r:2: JSON lines: nested too deeply"),
    (FRAME.to_json(), r"r: JSON: is a table column by column \(qid, docno, score\), .*records"),
    (
        'qid,docno,score,text\n1,a,3,"x\n' + "1,b,2,y\n" * 20_000,
        "r:2: CSV: a value is longer than .*perhaps a quotation mark is never closed",
    ),
    *(
        (json.dumps([*ROWS_ABOVE, last]), f"row 201: {told}")
        for last, told in (
            ({"qid": "T1", "docno": "z"}, "score is missing .topic T1, document z"),
            ({"qid": "T1", "docno": "z", "score": "1_0"}, 'score "1_0" is not a number'),
            (["T1", "z", 1], "expected a dict as in the rows above, found list"),
            ({"qid": "T1", "docno": "d0", "score": 1}, "document d0 of topic T1 already stands at row 1"),
        )
    ),
]


# Data in memory.
HALF_A_LETTER = pandas.DataFrame({"qid": ["1"], "docno": ["d\ud800"], "score": [1]}, dtype=object)
ONE_RUN = pandas.DataFrame({"topic": ["q1"], "document": ["d1"], "score": [1.0]})
SEVERAL = [{"a": ONE_RUN}, {"a": {"q1": {"d1": 1.0}}}, {"a": {"q1": ["d1"]}}]
REFUSED_FRAMES: list[tuple[Any, str]] = [
    (FRAME.assign(score=pandas.arrays.SparseArray(FRAME.score)), "Sparse"),
    (FRAME.to_records(index=False), "data of type recarray is neither"),
    (FRAME.set_index(list(FRAME.columns[:2])), r"; the index has .*, which reset_index\(\) makes columns$"),
    (None, "data of type NoneType is neither nested dicts nor a table to read$"),
    ({"t1": {"d\udc80": 1.0}}, "column document holds text that has no UTF-8"),
    ([("t1", "d\udc80", 1.0)], "column document holds text that has no UTF-8"),
    ([("T01", "d\ud800", 1.0)] * 20_000, "no UTF-8"),
    (HALF_A_LETTER, "column docno holds text that has no UTF-8"),
    (without_utf8(), "UTF-?8"),
    (pandas.DataFrame([IN_TWO_CASES]), TWICE),
    ([IN_TWO_CASES], TWICE),
    (pandas.DataFrame([[1, 2, 3, 4]], columns=[*FRAME, "score"]), "2 columns are called score"),
    *((data, "2 columns are called qid") for data in (ONE_NAME, ONE_NAME.to_batches()[0], ONE_NAME.to_reader())),
    (FRAME.rename(columns={"qid": "thema"}), "there is no column for the topic"),
    ([{"thema": "1", "docno": "a", "score": 1}], "there is no column for the topic"),
    ([{"qid": "1", "docs": frozenset({"d1", "d2"})}], "topic 1: a set has no order"),
    (pandas.DataFrame({"qid": ["a"], "docno": ["x"]}), "no column for the score: expected one of score, _score, sim"),
    (pandas.DataFrame({"qid": [1.5], "docno": ["x"], "score": [1.0]}), "column qid is of type DOUBLE"),
    ({"t1": {"d1": float("nan")}}, 'r:1: score ("nan" is not|is missing or not) a number'),
    ({"t1": {"d1": float("inf")}}, 'score "inf" is not a number'),
    ({"t1": {"": 1.0}}, "document is missing"),
    ({}, "holds no rows"),
    (pandas.DataFrame({"qid": ["a", "a"], "docno": ["x", "x"], "score": [1.0, 2.0]}), "stands more than once"),
    (pandas.DataFrame({"qid": ["a", None], "docno": ["x", "y"], "score": [1.0, 2.0]}), "r:2: topic is miss"),
    (pandas.DataFrame({"qid": ["q"], "docno": ["d"], "score": ["abc"]}), 'r:1: score "abc" is not a number'),
    (
        FRAME.head(3).assign(score=["1.5", "2,5", "3,5"]),
        'r:2: score "2,5" is not a number; .* no comma.*\nr:3: score "3,5"',
    ),
    ([{"qid": "q1", "docno": float("nan"), "score": 1.0}], "row 1: document nan is neither"),
    ([("q1", "d1")], r"row 1: expected \(topic, document, score\)"),
    ({None: {"d1": 1.0}}, "names are text or whole numbers, found None"),
    ({"q1": {b"d1": 1.0}}, "found b'd1'"),
    ({"q1": 5}, "topic q1: expected {document: score}, found int"),
    *((given, "a: expected the documents of one topic, .* evalsql.experiment takes several") for given in SEVERAL),
    ({"q1": {"d1": 1.0}, "q2": ["d1"]}, "topic q2: expected {document: score}, found list"),
    ({"q1": [b"d1"]}, "row 1: document b'd1' is neither text nor a whole number"),
    *(
        ({"q1": pandas.Series({"d1": score})}, r"topic q1: a Series under names; to_dict\(\) makes {document: score}")
        for score in (2.5, 2)
    ),
    ({"q1": [("d1", 1.0), ("d2", "x")]}, 'r:2: score "x" is not a number'),
    ({"q1": {"d1": "x"}}, "topic q1, document d1: could not convert"),
    ({"q1": {"d1": 10**400}}, "topic q1, document d1: int too large"),
]  # fmt: skip
