"""What documents contribute to a measure: against sums by hand, and against the values that they add up to."""

import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.catalog.measure_names import default_measure
from evalsql.catalog.relations import read_catalog
from evalsql.evaluation.gate_decision import decide
from evalsql.evaluation.gate_rules import parse_rule
from tests.conftest import FIXTURES, Command, module_file, module_warehouse, new_file, new_warehouse, own_measure
from tests.golden_cases import load_judgments
from tests.long_cases import few_of
from tests.random_collections import collection

CATALOG = read_catalog()
ODD = ["<script>alert(1)</script>", "a|b*_[x](y)", r"\textbf{x}&%$#", "=1+1", "\u6f22\u5b57"]


def load_small(warehouse: Warehouse) -> None:
    """Topic t has three relevant documents, of grades 2, 1 and 1, and two judged not relevant.

    The run has d1 (grade 2), d2 (grade 0), d5 (not judged) and d3 (grade 1); the other d3, d1.
    """
    warehouse.load_qrels({"t": {"d1": 2, "d2": 0, "d3": 1, "d4": 1, "d6": 0}, "u": {"d9": 3}}, "judged")
    warehouse.load_run({"t": {"d1": 9.0, "d2": 8.0, "d5": 7.0, "d3": 6.0}}, "run")
    warehouse.load_run({"t": {"d3": 2.0, "d1": 1.0}}, "other")


small = module_warehouse(load_small)


# By hand, documents at ranks 1 to 4 being of grade 2, 0, none and 1; three are relevant:
# AP       precision at each relevant document / 3: 1/1/3, 2/4/3
# nDCG@10  gain / log2(rank + 1) by the ideal 2/1 + 1/log2(3) + 1/2
# RR       1/1 at the first
# P@10     1/10 for each relevant one
# RBP      (1 - p) p^(rank - 1) with p = 0.5: 0.5, 0.0625
# Bpref    (1 - judged nonrelevant above / min(3, 2)) / 3: 1/3, (1 - 1/2)/3
# ERR      R = (2^grade - 1)/2^2, so 3/4 and 1/4: 3/4 / 1, then 1/4 * 1/4 / 4
# the same with the greatest grade of all topics, which is 3 in topic u: 3/8 and 1/8: 3/8 / 1, then 5/8 * 1/8 / 4
# SetP     precision of what is retrieved, 1, 1/2, 1/3, 2/4, each less the one before
IDEAL_DCG = 2 + 1 / math.log2(3) + 1 / 2
BY_HAND = {
    "AP": [1 / 3, 0, 0, 1 / 6],
    "nDCG@10": [2 / IDEAL_DCG, 0, 0, 1 / math.log2(5) / IDEAL_DCG],
    "RR": [1, 0, 0, 0],
    "P@10": [0.1, 0, 0, 0.1],
    "RBP(p=0.5)": [0.5, 0, 0, 0.0625],
    "Bpref": [1 / 3, 0, 0, 1 / 6],
    "ERR(max_rel=2)": [3 / 4, 0, 0, 1 / 64],
    "ERR(max_rel=null)": [3 / 8, 0, 0, 5 / 256],
    "set_P": [1, -1 / 2, -1 / 6, 1 / 6],
}


@pytest.mark.parametrize("measure", BY_HAND)
def test_contributions_by_hand(small: Warehouse, measure: str) -> None:
    found = [row[4] for row in small.explain("run", "t", measure=measure).rows.fetchall()]
    assert found == pytest.approx(BY_HAND[measure], abs=1e-12)


def test_the_ranking_and_the_ideal_beside_it(small: Warehouse) -> None:
    """Of the ideal order the fourth is one of the judged that are not relevant, since the list has four."""
    found = small.explain("run", "t", measure="AP")
    assert not found.run.differs
    assert found.rows.columns == [
        *("rank", "document", "score", "grade", "contribution", "value"),
        *("ideal_document", "ideal_grade", "ideal_value"),
    ]
    third, half, sixth = pytest.approx(1 / 3), pytest.approx(1 / 2), pytest.approx(1 / 6)
    assert found.rows.fetchall() == [
        (1, "d1", 9.0, 2, third, third, "d1", 2, third),
        (2, "d2", 8.0, 0, 0.0, third, "d3", 1, pytest.approx(2 / 3)),
        (3, "d5", 7.0, None, 0.0, third, "d4", 1, pytest.approx(1)),
        (4, "d3", 6.0, 1, sixth, half, "d2", 0, pytest.approx(1)),
    ]
    assert [found.run.value, found.run.left_out, found.run.in_warehouse] == [half, 0, half]
    assert found.ideal.value == pytest.approx(1)
    # What stands below the depth is one number.
    found = small.explain("run", "t", measure="AP", depth=2)
    assert [row[0] for row in found.rows.fetchall()] == [1, 2]
    assert [found.run.num_ret, found.run.value, found.run.left_out] == [4, half, sixth]


def test_two_runs(small: Warehouse) -> None:
    """AP: d3 gives 1/6 at rank 4 and 1/3 at rank 1, d1 1/3 at rank 1 and 2/2/3 at rank 2: no difference."""
    found = small.explain("run", "t", measure="AP", other="other")
    sixth, third = pytest.approx(1 / 6), pytest.approx(1 / 3)
    assert found.rows.columns == [
        *("document", "grade", "rank", "other_rank", "contribution", "other_contribution", "difference")
    ]
    assert found.rows.fetchall() == [("d3", 1, 4, 1, sixth, third, pytest.approx(-1 / 6))]
    assert found.num_equal == 3
    assert found.other is not None
    assert found.other.value == pytest.approx(2 / 3)
    # RR: d1 gives 1 and 0, d3 0 and 1; a document of the first ranks is looked up wherever the other run has it.
    found = small.explain("run", "t", measure="RR", other="other", depth=1)
    assert found.rows.fetchall() == [("d1", 2, 1, 2, 1.0, 0.0, 1.0), ("d3", 1, 4, 1, 0.0, 1.0, -1.0)]


def test_an_empty_ranking_has_a_row_of_the_ideal_or_of_its_value(small: Warehouse) -> None:
    found = small.explain("run", "u", measure="AP")
    assert found.rows.fetchall() == [(1, None, None, None, None, None, "d9", 3, 1.0)]
    assert (found.run.missing, found.run.value, found.run.num_ret) == (True, 0, 0)
    rows = small.explain("run", "t", measure="NumRel").rows.fetchall()
    assert [row[:6] for row in rows[:2]] == [(0, None, None, None, 3, 3), (1, "d1", 9.0, 2, 0, 3)]


def test_a_threshold_comes_from_all_topics() -> None:
    """Of two topics with one false positive each, at 5 and at 1, the upper one is half: TAP@1 cuts at 5."""
    with new_warehouse() as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 1}, "u": {"a": 1}}, "judged")
        warehouse.load_run({"t": {"a": 9.0, "b": 3.0, "x": 1.0}, "u": {"y": 5.0}}, "run")
        found = warehouse.explain("run", "t", measure="TAP@1")
        # Cut after the first, 1/1 for the relevant one and 1/1 at the end, by three; by itself t is kept whole.
        assert [row[5] for row in found.rows.fetchall()] == pytest.approx([2 / 3, 2 / 3, 2 / 3])
        assert found.run.value == found.run.in_warehouse == pytest.approx(2 / 3)
        assert found.run.threshold == 5
        # With a threshold of one's own, 3, both relevant documents are kept: the whole of it.
        found = warehouse.explain("run", "t", measure="TAP(threshold=3)")
        assert [row[5] for row in found.rows.fetchall()] == pytest.approx([2 / 3, 1, 1])


@pytest.mark.long
def test_what_depends_on_other_runs_is_told(tmp_path: Path, command: Command) -> None:
    share = "coalesce(cast(num_ret as double) / nullif(sum(num_ret) over (partition by topic), 0), 0)"
    select = f"select qrels, run, topic, {share} as value from evaluated_topics"
    own = own_measure(tmp_path / "own" / "runner_up.sql", "Share", select)
    file = new_file(tmp_path)
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({"t": {"a": 1}, "u": {"a": 2}}, "judged")
        for run in ("one", "two", "three", "four"):
            warehouse.load_run({"t": {"a": 1.0}}, run)
    outcome = command("explain", "one", "t", "-m", "Share", "--measure-file", own, "--db", file)
    assert "together with the other topics (or runs) one has 0.25 here" in outcome.stderr
    assert "topics evaluated" not in outcome.stderr


def test_what_is_not_known_is_empty(tmp_path: Path, command: Command) -> None:
    """Of tied documents INST knows no best order where T is below 0.5."""
    file = new_file(tmp_path)
    with evalsql.open(file) as warehouse:
        warehouse.load_qrels({"t": {"a": 1, "b": 1, "c": 0, "d": 1}}, "judged")
        warehouse.load_run({"t": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}}, "run")
        warehouse.load_run({"t": {"a": 1.0}}, "other")
        asked = "INST(T=0.3,ties='best')"
        assert warehouse.explain("run", "t", measure=asked).run.value is None
        rows = warehouse.explain("run", "t", measure=asked, other="other").rows.fetchall()
        assert {(row[0], row[6]) for row in rows} == {(document, None) for document in "abcd"}
    outcome = command("explain", "run", "t", "-m", "INST(T=0.3,ties='best')", "--db", file)
    assert outcome.returncode == 0
    assert "topic t (judged): run not known" in outcome.stderr


# Every measure

WORKED_EXAMPLES = ("groups", "diversity", "preferences")  # families whose judgments are no plain grades


@cache
def loaded(family: str) -> tuple[Warehouse, str, list[str]]:
    """A collection with ties and holes or a family's worked example; topic and documents of the longest ranking."""
    warehouse = new_warehouse()
    if family in WORKED_EXAMPLES:
        load_judgments(warehouse, FIXTURES / family, "judged")
        warehouse.load_runs(str(FIXTURES / family / "runs" / "*"), name="run")
    else:
        data = collection(int(family))
        warehouse.load_qrels(data.qrels, "judged")
        warehouse.load_run(data.run, "run", tie_rule="trec_eval" if int(family) % 2 else "trec_eval_10")
    (topic, *_), *_ = warehouse.rows("select topic from steps.evaluated_topics order by num_ret desc, topic")
    documents = warehouse.rows("select document from rankings where topic = ? order by rank", [topic])
    return warehouse, topic, [document for (document,) in documents]


def by_family() -> Iterator[Any]:
    """Measures by place, those beyond the first of a family marked as long."""
    seen: set[str] = set()
    for at, relation in enumerate(CATALOG.measures):
        if relation.family in ("costs", "nuggets", "citations", "spans"):  # to which documents do not contribute
            continue
        marks = [pytest.mark.long] if relation.family in seen else []
        seen.add(relation.family)
        yield pytest.param(at, marks=marks, id=relation.name)


@pytest.mark.parametrize("at", few_of(list(by_family()), 3, one_value=True))
def test_contributions_of_every_measure_add_up(at: int) -> None:
    relation = CATALOG.measures[at]
    family = relation.family if relation.family in WORKED_EXAMPLES else str(3 + at % 5)
    warehouse, topic, documents = loaded(family)
    found = warehouse.explain("run", topic, measure=default_measure(relation).name, depth=1000)
    rows = found.rows.fetchall()
    given = [row[4] for row in rows if row[4] is not None]
    assert math.fsum(given) == pytest.approx(found.run.in_warehouse, abs=1e-9)
    assert found.run.value == pytest.approx(found.run.in_warehouse, abs=1e-9)
    assert [row[1] for row in rows if row[0] and row[1]] == documents


@pytest.mark.long
@pytest.mark.parametrize("lower", few_of([True, False], 1))
def test_the_order_is_that_of_the_warehouse(empty: Warehouse, lower: bool) -> None:
    """Scores that tie, and ranks against them."""
    table = duckdb.sql("""
        select 't' as topic, * from (values ('a', 4, 1.0), ('b', 1, 2.0), ('c', 3, 2.0), ('d', 2, 3.0))
        as rows(document, rank, score)
    """)
    empty.load_qrels({"t": {"a": 1, "c": 1}}, "judged")
    for rule in ("trec_eval", "rank", "input"):
        empty.load_run(table, rule, tie_rule=rule, lower_is_better=lower)
        order = empty.rows("select rank, document, score from rankings where run = ? order by rank", [rule])
        for measure in ("AP(ties='expected')", "TAP@1"):
            found = empty.explain(rule, "t", measure=measure)
            assert [row[:3] for row in found.rows.fetchall()] == order
            assert found.run.value == pytest.approx(found.run.in_warehouse)


# Names


def explained(warehouse: Warehouse, qrels: str | None = None) -> float:
    return warehouse.explain("run", "t", measure="RR", qrels=qrels).run.value or 0


def judged_by_gate(warehouse: Warehouse, qrels: str | None = None) -> float:
    return decide(warehouse.evaluation, "run", [parse_rule("RR >= 1")], qrels=qrels).verdicts[-1].value or 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"run": "rum"}, 'no run is called "rum"; nearest: run'),
        ({"topic": "tt"}, 'judged judges no topic "tt"; nearest: t'),
        ({"measure": "APP"}, 'unknown measure "APP"; nearest: AP'),
        ({"measure": "AP RR"}, "stands for 2 measures"),
        ({"other": "run"}, '"run" is compared with itself'),
        ({"run": "*"}, "stands for 2 runs: run, .*; name one"),
        ({"qrels": "judge"}, 'no judgment set is called "judge"; there are: judged'),
        ({"depth": 0}, "depth is 0, but must be at least 1"),
    ],
)
def test_names_that_do_not_fit(small: Warehouse, arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        small.explain(**{"run": "run", "topic": "t", "measure": "AP", **arguments})  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize("ask", [explained, judged_by_gate])
def test_of_several_judgment_sets_one_is_named(empty: Warehouse, ask: Callable[..., float]) -> None:
    for name, document in (("first", "a"), ("second", "b"), ("third", "b")):
        empty.load_qrels({"t": {document: 1}}, name)
    empty.load_run({"t": {"a": 2.0, "b": 1.0}}, "run", qrels=["first", "second"])
    with pytest.raises(UsageError, match=r"several judgment sets.*--qrels.*first, second"):
        ask(empty)
    with pytest.raises(UsageError, match="run is not evaluated by third"):
        ask(empty, qrels="third")
    assert [ask(empty, qrels=name) for name in ("first", "second")] == [1, 0.5]


# The command


def load_odd(warehouse: Warehouse) -> None:
    warehouse.load_qrels({ODD[0]: dict.fromkeys(ODD, 1)}, ODD[1])
    warehouse.load_run({ODD[0]: {name: float(at) for at, name in enumerate(ODD)}}, ODD[2])
    warehouse.load_run({ODD[0]: {ODD[1]: 1.0}}, ODD[3])


odd = module_file(load_odd)


@pytest.mark.long
def test_odd_names_are_text(odd: Path, command: Command) -> None:
    asked = ("explain", ODD[2], ODD[0], "-m", "AP", "--db", odd)
    outcome = command(*asked, "--format", "json")
    assert outcome.returncode == 0
    assert [row["document"] for row in json.loads(outcome.stdout)] == ODD[::-1]
    assert [row["ideal_document"] for row in json.loads(outcome.stdout)] == sorted(ODD)
    assert f"AP, topic {ODD[0]} ({ODD[1]}): {ODD[2]} 1.0000" in outcome.stderr
    assert r"a\|b\*\_\[x\]\(y\)" in command(*asked, "--format", "markdown").stdout
    both = command("explain", ODD[2], ODD[0], "--other", ODD[3], "-m", "RR", "--db", odd, "--format", "json")
    assert [row["document"] for row in json.loads(both.stdout)] == [ODD[1], ODD[4]]


@pytest.mark.long
def test_counts_are_whole_and_nothing_is_silently_left_out(odd: Path, command: Command) -> None:
    outcome = command("explain", ODD[2], ODD[0], "-m", "NumRelRet", "--depth", 2, "--db", odd)
    assert outcome.stdout.splitlines()[2].split()[-5:] == ["1", "1", ODD[0], "1", "1"]
    hidden = "are hidden; together they contribute 3; --depth 5 shows them"
    assert f"  Ranks 3 to 5 of {ODD[2]} {hidden}\n" in outcome.stderr


def test_a_run_without_judgments_is_told_what_to_do(empty: Warehouse) -> None:
    empty.load_run({"t": {"a": 1.0}}, "run")
    with pytest.raises(UsageError, match="no judgment set evaluates run; evalsql load qrels FILE brings them"):
        empty.explain("run", "t")
