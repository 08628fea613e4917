"""Small files of which the rows are known: every form of TREC files, headers of all kinds, marks that hide no row."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalsql import Warehouse
from evalsql.ingest.files.input_files import stem
from tests.conftest import write

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Rows = list[tuple[str, str, float]]
PACKS: list[Callable[[bytes], bytes]] = [gzip.compress, zstd.compress]
PLAIN = "t1 Q0 d1 1 2.5 tag\nt1 Q0 d2 2 1.5 tag\nt2 Q0 d1 1 -1e-3 tag\n"
OF_PLAIN: Rows = [("t1", "d1", 2.5), ("t1", "d2", 1.5), ("t2", "d1", -0.001)]
FORMS = [
    PLAIN,
    PLAIN.rstrip("\n"),
    PLAIN.replace(" ", "\t"),
    PLAIN.replace(" ", "  \t "),
    PLAIN.replace("\n", "\r\n"),
    PLAIN.replace("\n", "\r\n", 1),
    PLAIN.replace("\n", "   \n"),
    PLAIN.replace("\n", "\n\n \n"),
    PLAIN.replace("t2 Q0", "t2\tQ0\t"),
    "\ufeff" + PLAIN,
    "# team: us\n" + PLAIN + "# end\n",
    "topic Q0 docid rank score run\n" + PLAIN,
    "topic\tQ0\tdocid\trank\tscore\trun\n" + PLAIN,
    "query q0 name rank score run\n" + PLAIN,
    "qid Q0 doc_x rank score\n" + PLAIN,
    "topic iter doc rank score tag\n" + PLAIN,
    "topic Q0 docid rank score qid\n" + PLAIN,
    "\ufeffquery_id iter doc_id rank score tag\r\n" + PLAIN.replace("\n", "\r\n"),
    PLAIN.replace(" tag", ""),
    PLAIN.replace("tag", "two words"),
    PLAIN.replace(" ", "\t").replace("tag", "two words"),
    PLAIN.replace(" Q0 ", " 0 "),
    PLAIN.replace(" 1 -1e-3", " rank -0.001"),
    PLAIN.replace("2.5", "+.25e1").replace("-1e-3", "-1.E-3"),
    PLAIN.replace("d1 1 2.5 tag", "d1 1 2.5 other"),
]
MARKED: Rows = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.0)]
NAMES = "qid\tdocno\tscore\ttext\n"
HIDDEN = '1\ta\t3\t"hello" he said\n1\tb\t2\t"x\n2\ta\t1\ty\n'
TEN = range(1, 11)
FALLING: Rows = [("t", f"d{d}", 99.0 - d) for d in TEN]
RUNS: dict[str, tuple[str | bytes, Rows]] = {
    **{f"form {at}.run": (text, OF_PLAIN) for at, text in enumerate(FORMS)},
    **{
        f"packed {at} {number} {len(ending)}{ending}": (pack(FORMS[number].encode()), OF_PLAIN)
        for at, pack in enumerate(PACKS)
        for number in (0, 10)  # one for each reader
        for ending in (".run.gz", ".zst", "")
    },
    "names that look like numbers": (
        '001 Q0 12 1 2 x\n001 Q0 0012 2 1 x\n1 Q0 "d" 1 1 x\n1 Q0 NA 2 0 x\n',
        [("001", "12", 2.0), ("001", "0012", 1.0), ("1", '"d"', 1.0), ("1", "NA", 0.0)],
    ),
    # Tags that look as if these were other tables
    **{
        f"odd {line}": ("".join(line.format(d=d, score=99 - d) + "\n" for d in TEN), FALLING)
        for line in (
            "t Q0 d{d} {d} {score} my own tag",
            "t Q0 d{d} 0 {score} my own tag",
            "t {d} d{d} {d} {score} my own tag",
            "t Q0 d{d} {d} {score} tag{d}",
            "t Q0 d{d} x {score}",
        )
    },
    "odd last tag": (
        "".join(f"t Q0 d{d} 0 {99 - d} {'tag' if d % 5 else 'a longer tag'}\n" for d in TEN), FALLING
    ),
    "a header above other columns": (
        "qid\tquery\tdocid\tdocno\trank\tscore\n"
        + "".join(f"t\twhat is it\tid{d}\td{d}\t{d}\t{99 - d}\n" for d in TEN), FALLING
    ),
    # Quotation marks
    "a mark that is never closed": (NAMES + HIDDEN, MARKED),
    "Windows line ends": ((NAMES + HIDDEN).replace("\n", "\r\n"), MARKED),
    "marks that hide tabs and line ends": (NAMES + '1\ta\t3\t"he\nllo"\n1\tb\t2\t"x\ty"\n2\ta\t1\t""\n', MARKED),
    "marks in the text": (NAMES + '1\ta\t3\tsay "x"\n1\tb\t2\t"say ""x"""\n2\ta\t1\t"\n', MARKED),
    "marks in MS MARCO": ('1\t"a\t1\n1\tb"\t2\n1\t"c"\t3\n', [("1", '"a', -1.0), ("1", 'b"', -2.0), ("1", "c", -3.0)]),
    "marks in CSV": ('qid,docno,score,text\n1,a,3,"x, ""y"""\n1,b,2,"one\ntwo"\n2,a,1,z"\n', MARKED),
}  # fmt: skip
QRELS = "t1 0 d1 1\nt1 0 d2 0\nt2 0 d1 2\n"
OF_QRELS: Rows = [("t1", "d1", 1), ("t1", "d2", 0), ("t2", "d1", 2)]
FORMS_OF_QRELS: list[str | bytes] = [
    QRELS,
    *(pack(QRELS.encode()) for pack in PACKS),
    QRELS.replace(" ", "\t"),
    QRELS.replace(" ", "   ").replace("\n", "  \r\n"),
    "\ufeff# pool\n" + QRELS,
    "topic iteration document grade\n" + QRELS,
    QRELS.replace(" 2\n", " 2.0\n"),
]
JUDGMENTS: list[tuple[str | bytes, Rows]] = [
    *((text, OF_QRELS) for text in FORMS_OF_QRELS),
    ("001 0 0012 1\n1 0 12 0\n1 0 NA 1\n", [("001", "0012", 1), ("1", "12", 0), ("1", "NA", 1)]),
    ("id\tquery_id\tproduct_id\tlabel\n0\t5\t254\t2\n", [("5", "254", 2)]),
    (
        'query-id\tcorpus-id\tscore\n1\t"ab\t2\n1\tcd"\t0\n1\t"e"\t1\n1\t"e""f"\t1\n',
        [("1", '"ab', 2), ("1", 'cd"', 0), ("1", "e", 1), ("1", 'e"f', 1)],
    ),
    ('{"T1": {"a": 1, "b": 0, "c": -1}, "T2": {"a": "2"}}',
     [("T1", "a", 1), ("T1", "b", 0), ("T1", "c", -1), ("T2", "a", 2)]),
]  # fmt: skip
# Columns that are named, as the header alone does not say which they are.
NAMED: list[tuple[str, dict[str, str], Rows]] = [
    ("system query_id item rank score\nx 5 a 1 2.0\n", {"document": "item"}, [("5", "a", 2.0)]),
    ("qid,QID,docno,score\n1,2,a,3\n", {"topic": "QID"}, [("2", "a", 3.0)]),
]
HELD = "select topic, document, score from rankings where run = ? order by all"


def test_runs_have_the_rows_that_their_files_say(empty: Warehouse, tmp_path: Path) -> None:
    files = [write(tmp_path / name, content) for name, (content, _) in RUNS.items()]
    runs = empty.load_runs(files)
    assert runs == [stem(name) for name in RUNS]
    found = {run: empty.rows(HELD, [run]) for run in runs}
    assert found == {run: sorted(rows) for run, (_, rows) in zip(runs, RUNS.values(), strict=True)}
    assert empty.load_runs(files[1], name="alone") == ["alone"]
    assert empty.rows(HELD, ["alone"]) == OF_PLAIN
    headers = "select run, comments from runs where run in ('form 11', 'form 12') order by run"
    assert [comments for _, comments in empty.rows(headers)] == [FORMS[at].partition("\n")[0] for at in (11, 12)]
    for at, (text, columns, rows) in enumerate(NAMED):
        empty.load_runs(write(tmp_path / f"named {at}", text), columns=columns)
        assert empty.rows(HELD, [f"named {at}"]) == rows


def test_judgments_have_the_grades_that_their_files_say(empty: Warehouse, tmp_path: Path) -> None:
    for content, rows in JUDGMENTS:
        empty.load_qrels(write(tmp_path / "q", content), replace=True)
        found: list[Any] = empty.rows("select topic, document, grade from judgments where qrels = 'q' order by all")
        assert found == sorted(rows), content


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("runs/a.run", "a"), ("a.run.gz", "a"), ("a.csv.bz2", "a"), ("a.csv.xz", "a"), ("a.b.txt.run.gz", "a.b.txt")),
        *(("r5.fusion1", "r5.fusion1"), ("input.system", "input.system"), (".run", ".run")),
    ],
)
def test_a_run_is_called_by_its_files_stem(path: str, name: str) -> None:
    assert stem(path) == name
