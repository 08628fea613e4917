"""Files that are no runs, or whose rows cannot be used: the content of each, and what its refusal says."""

from __future__ import annotations

import gzip
import json
import pickle

import pandas

from tests.ingest.sample_rows import RUN, TREC_RUN
from tests.ingest.variants import RANX, RUNS, lines, nested, parquet

DEEP = "[" * 5000 + "]" * 5000
COLUMNS = pandas.DataFrame([row[:3] for row in RUN], columns=["qid", "docno", "score"])
NAME_THEM = ".*; --columns topic=NAME,document=NAME,score=NAME says which"
PLAIN = {"qid": "T1", "docs": ["a", "b"]}
SCORED = {"qid": "T1", "docs": ["a", "b"], "scores": [2.5, 1e-180]}
HITS = {"qid": "T1", "hits": [{"docid": "a", "score": 2.5, "title": "A"}]}
ROWS_ABOVE = [{"qid": "T1", "docno": f"d{at}", "score": at} for at in range(200)]
MIXED = "some topics have scores and others are rankings without"
REFUSED: dict[str, tuple[bytes | str, str]] = {
    "a PDF document": (b"%PDF-1.7\n", "is a PDF document"),
    "a workbook": (b"PK\x03\x04....xl/workbook.xml", "is an Excel workbook, .*export the sheet as CSV"),
    "a zip archive": (b"PK\x03\x04....r.run", "is a zip archive"),
    "an HTML page": (b"\n<!DOCTYPE html><html>404</html>", "is an HTML page"),
    "a pickle": (pickle.dumps({"q": 1}), "is a Python pickle"),
    "text in UTF-16": (TREC_RUN.encode("utf-16"), "is text in UTF-16, .*save it as UTF-8"),
    "values": (b"map                   \tall\t0.25\n", "is output of trec_eval"),
    "values of topics": (b"ndcg_cut_10           \tT01\t0.25\n", "is output of trec_eval"),
    "values without blanks": (b"Rprec_mult_0.20\tall\t0.25\n", "is output of trec_eval, neither a run nor"),
    "Parquet": (RUNS["Parquet"][1][:2000], "cannot be read as Parquet: "),
    "Arrow": (RUNS["Feather"][1][:300], "cannot be read as Arrow: "),
    "JSON": (RUNS["JSON dict of dicts"][1][:-9], "r:1: broken JSON: "),
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
