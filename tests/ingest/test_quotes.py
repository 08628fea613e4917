"""Quotation marks in tables: they lose no row, whether a program writes them as CSV has them or as they come."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalsql import InputError, Warehouse
from tests.conftest import write

ROWS = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.0)]
NAMES = "qid\tdocno\tscore\ttext\n"
HIDDEN = '1\ta\t3\t"hello" he said\n1\tb\t2\t"x\n2\ta\t1\ty\n'
TABLES = {
    "a mark that is never closed": (NAMES + HIDDEN, ROWS),
    "Windows line ends": ((NAMES + HIDDEN).replace("\n", "\r\n"), ROWS),
    "marks that hide tabs and line ends": (NAMES + '1\ta\t3\t"he\nllo"\n1\tb\t2\t"x\ty"\n2\ta\t1\t""\n', ROWS),
    "marks in the text": (NAMES + '1\ta\t3\tsay "x"\n1\tb\t2\t"say ""x"""\n2\ta\t1\t"\n', ROWS),
    "MS MARCO": ('1\t"a\t1\n1\tb"\t2\n1\t"c"\t3\n', [("1", '"a', -1.0), ("1", 'b"', -2.0), ("1", "c", -3.0)]),
    "CSV": ('qid,docno,score,text\n1,a,3,"x, ""y"""\n1,b,2,"one\ntwo"\n2,a,1,z"\n', ROWS),
}
JUDGED = 'query-id\tcorpus-id\tscore\n1\t"ab\t2\n1\tcd"\t0\n1\t"e"\t1\n1\t"e""f"\t1\n'


@pytest.mark.parametrize("kind", TABLES)
def test_no_row_is_lost_to_a_quotation_mark(empty: Warehouse, tmp_path: Path, kind: str) -> None:
    text, expected = TABLES[kind]
    empty.load_runs(write(tmp_path / "r.tsv", text))
    assert empty.rows("select topic, document, score from rankings order by topic, document") == sorted(expected)


def test_names_of_judgments_may_have_quotation_marks(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "q.tsv", JUDGED), "q")
    found = empty.rows("select document, grade from judgments order by document")
    assert found == [('"ab', 2), ('cd"', 0), ("e", 1), ('e"f', 1)]


@pytest.mark.parametrize(
    "text", ['qid,query\nT1,one\nT2,"two\nT3,three\n', 'qid,query\nT1,one\nT2,"two" x\nT3,three\n']
)
def test_topics_are_not_lost_to_a_quotation_mark_either(empty: Warehouse, tmp_path: Path, text: str) -> None:
    empty.load_qrels({"T1": {"d": 1}, "T2": {"d": 1}, "T3": {"d": 1}}, "q")
    with pytest.raises(InputError, match=r"t\.csv:3: .*quotation mark"):
        empty.load_topics(write(tmp_path / "t.csv", text))
