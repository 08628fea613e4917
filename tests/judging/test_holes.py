"""Bounds of values where documents are not judged: against every grade that these could have, and by invariants."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.queries import relation_query
from evalsql.catalog.relations import read_catalog
from evalsql.evaluation.holes import Holes, unbounded
from tests.conftest import Command, assert_refused, csv_rows, new_warehouse, write
from tests.long_cases import few_of
from tests.oracles.brute_force import Topic
from tests.oracles.by_name import value_of
from tests.random_collections import load_together

# Plain loops of what the oracles lack, or have for fewer arguments: relevant documents found, k, R and so on.


def _counts(topic: Topic, k: int | None = None) -> tuple[int, int, int]:
    return sum(topic.hits()[:k]), topic.num_rel(), len(topic.order)


def _r(topic: Topic, k: int | None = None) -> float:
    found, relevant, _ = _counts(topic, k)
    return found / relevant if relevant else 0.0


def _relative_p(topic: Topic, k: int) -> float:
    found, relevant, _ = _counts(topic, k)
    return found / min(k, relevant) if relevant else 0.0


def _set_ap(topic: Topic) -> float:
    found, relevant, retrieved = _counts(topic)
    return found * found / (retrieved * relevant) if relevant else 0.0


def ap(topic: Topic, k: int | None = None) -> float:
    hits = topic.hits()[:k]
    total = sum(sum(hits[: at + 1]) / (at + 1) for at, hit in enumerate(hits) if hit)
    return total / topic.num_rel() if topic.num_rel() else 0.0


def _rprec(topic: Topic) -> float:
    relevant = topic.num_rel()
    return sum(topic.hits()[:relevant]) / relevant if relevant else 0.0


def _f(topic: Topic) -> float:
    found, relevant, retrieved = _counts(topic)
    return 2 * found / (relevant + retrieved)


_LOOPS: Mapping[str, Callable[[Topic], float]] = {
    "P@3": lambda topic: sum(topic.hits()[:3]) / 3,
    "P(rel=2)@2": lambda topic: sum(topic.hits(2)[:2]) / 2,
    "P(relative=true)@3": lambda topic: _relative_p(topic, 3),
    "R": _r,
    "R@2": lambda topic: _r(topic, 2),
    "F": _f,
    "SetAP": _set_ap,
    "AP": ap,
    "AP@3": lambda topic: ap(topic, 3),
    "GMAP": lambda topic: max(ap(topic), 0.00001),
    "Rprec": _rprec,
    "BreakEven": _rprec,
    "RR": lambda topic: value_of("RR@100")(topic),
    "Success@2": lambda topic: float(any(topic.hits()[:2])),
    "NumRelRet": lambda topic: float(sum(topic.hits())),
    "NumNonrelRet": lambda topic: float(sum(topic.hits(0)) - sum(topic.hits())),
    "GSuccess@3": lambda topic: next((2 ** (-at / 2) for at, hit in enumerate(topic.hits()) if hit), 0.0),
}
NAMES = (
    *_LOOPS,
    *("YAAP", "PRES@3", "FRS", "RR@2", "Hits@3", "Hits", "CG@3", "DCG@3", "DCG(dcg='exp-log2')", "nDCG", "nDCG@1"),
    *("nDCG@3", "nDCG(dcg='exp-log2')@4", "nDCG(gains={1:0.5,2:0.9,3:0.9})@3", "nCG", "nCG@3", "RBP", "RBP(p=0.5)@3"),
    *("RBP(p=0.5,gains={1:0.5,2:1})", "RBP(p=0.5,gains={0:0.25,1:0.5,2:1})@3", "SDCG(max_rel=3)@4"),
    *("SDCG(min_rel=1,max_rel=2)@3", "NPV(depth=3)", "NPV"),
    *("ERR@3", "ERR(max_rel=null)@5", "ERR(max_rel=2)@4", "INSQ(t=2,depth=4)", "INSQ", "INST(t=1,depth=4)", "INST"),
    *("INST(t=0.5,depth=3)", "INST(t=3,max_rel=2,depth=12)", "IFT(depth=4)", "IFT(t=1,b=3,r=5)"),
    *("IFT(t=0.5,b=0.1,r=0.2,depth=5)", "NERR8@4", "NERR8(max_rel=2)@3"),
    *("NERR9@4", "NERR9(max_rel=1)@3", "NERR10(p=0.7,depth=4)", "NERR10(p=0.3,max_rel=2,depth=3)", "NERR10"),
    *("NERR11(t=1.5,depth=4)", "NERR11(t=0.25,max_rel=3,depth=3)", "NERR11", "Utility"),
    *("Utility(found=2,false_alarm=3,missed=-0.5,rejected=0.25,collection=50)",),
)


class Case(NamedTuple):
    """A topic with a run of its own, and documents that only other runs have, which nobody judged."""

    judged: Mapping[str, int]
    order: list[str]
    greatest: int


def _case(chance: random.Random, greatest: int) -> Case:
    documents = [f"d{number}" for number in range(chance.randint(1, 8))]
    order = chance.sample(documents, chance.randint(1, min(6, len(documents))))
    open_ = set(chance.sample(order, chance.randint(0, min(3, len(order)))))
    judged = {document: chance.randint(0, greatest) for document in documents if document not in open_}
    return Case({**judged, **{document: -1 for document in open_ if chance.random() < 0.3}}, order, greatest)


def _depth(name: str) -> int | None:
    (measure,) = parse_measures([name], read_catalog())
    holes = measure.relation.header.holes
    at = holes.partition(" to ")[2].partition(",")[0] or ("k" if "_bounds" in holes else "")
    depth = measure.arguments.get(at)
    return depth if isinstance(depth, int) else None


def _extremes(name: str, case: Case, unseen: int, most: int) -> tuple[float, float]:
    """The least and the greatest value over all grades of what nobody judged, down to the cutoff and unseen."""
    value = _LOOPS.get(name) or value_of(name)
    scores = {document: -float(at) for at, document in enumerate(case.order)}
    judged = {document: grade for document, grade in case.judged.items() if grade >= 0}
    holes = [document for document in case.order[: _depth(name)] if document not in judged]
    values = [
        value(Topic({**judged, **dict(zip(holes, grades, strict=True)), **others}, scores, case.greatest))
        for grades in product(range(most + 1), repeat=len(holes))
        for new in combinations_with_replacement(range(most + 1), unseen)
        for others in [{f"unseen{at}": grade for at, grade in enumerate(new)}]
    ]
    return min(values), max(values)


def load_cases(warehouse: Warehouse, folder: Path, cases: Mapping[str, Mapping[str, Case]]) -> None:
    for name, topics in cases.items():
        rows = "".join(f"{topic} 0 {d} {g}\n" for topic, case in topics.items() for d, g in case.judged.items())
        # Every grade is somewhere in the judgments, and no topic is without one.
        rows += "".join(f"grades 0 g{grade} {grade}\n" for grade in range(int(name[-1]) + 1))
        rows += "".join(f"{topic} 0 judged-elsewhere 0\n" for topic in topics)
        warehouse.load_qrels(write(folder / f"{name}.txt", rows), name)
        run = {topic: {d: -float(at) for at, d in enumerate(case.order)} for topic, case in topics.items()}
        load_together(warehouse, {f"run{name}": run}, qrels=[name])


@cache
def _cases(number: int, seed: int) -> Mapping[str, Mapping[str, Case]]:
    chance = random.Random(seed)
    return {f"to{top}": {f"t{at}": _case(chance, top) for at in range(number // 3)} for top in (1, 2, 3)}


def compare(number: int, seed: int, folder: Path, unseen: int, most: int | None, names: Sequence[str]) -> None:
    cases = _cases(number, seed)
    with new_warehouse() as warehouse:
        load_cases(warehouse, folder, cases)
        for name in names:
            (measure,) = parse_measures([name], warehouse.catalog)
            assert not unbounded(warehouse.catalog, measure), name
            holes = Holes(warehouse.evaluation, [measure], most=most, unseen=unseen)
            found = {
                (qrels, topic): (least, greatest)
                for qrels, topic, least, greatest in warehouse.rows(f"""
                    select qrels, topic, max(value) filter (ties = 'least'), max(value) filter (ties = 'greatest')
                    from ({holes.values}) where topic <> 'grades' group by all
                """)
            }
            assert len(found) == sum(map(len, cases.values()))
            for (qrels, topic), bounds in found.items():
                case = cases[qrels][topic]
                top = case.greatest if most is None else min(most, case.greatest)
                judged = {**case.judged, "judged-elsewhere": 0}
                expected = _extremes(name, case._replace(judged=judged), unseen, top)
                assert bounds == pytest.approx(expected, rel=1e-9, abs=1e-9), (name, qrels, topic, case, unseen)


# One of each relation of bounds, and some that only rise with grades.
_FEW = (
    *("P(relative=true)@3", "R@2", "F", "SetAP", "AP@3", "YAAP", "Rprec", "PRES@3", "nDCG@3", "nCG", "RR@2", "ERR@3"),
    *("NumRelRet", "NumNonrelRet", "FRS", "RBP(p=0.5,gains={0:0.25,1:0.5,2:1})@3"),
)


def test_bounds_are_the_extremes_over_all_grades(tmp_path: Path) -> None:
    compare(30, 1, tmp_path, 1, None, _FEW)


# Documents beside those that a run has, and the greatest grade of holes.
KINDS = ((0, None), (1, None), (2, None), (1, 1), (2, 0))


@pytest.mark.long
@pytest.mark.parametrize(("unseen", "most"), KINDS)
def test_bounds_are_the_extremes_over_all_grades_of_many_topics(tmp_path: Path, unseen: int, most: int | None) -> None:
    """Of twenty times as many: python -m tests.trials holes, an hour of the processor."""
    compare(99, 100 + unseen, tmp_path, unseen, most, NAMES)


def test_every_measure_has_bounds_that_are_tried_or_says_why_it_has_none() -> None:
    catalog = read_catalog()
    tried = {parse_measures([name], catalog)[0].relation.name for name in NAMES}
    for relation in catalog.measures:
        assert relation.header.holes, relation.name
        assert relation.header.holes.startswith("none, ") is (relation.name not in tried), relation.name
    bounds = {relation.name for relation in catalog.of_kind("judging") if relation.name.endswith("_bounds")}
    assert bounds == {word for each in catalog.measures for word in each.header.holes.split(", ") if "_bounds" in word}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Bpref", "it compares relevant documents with others"),
        ("AP(ties='worst')", "the tie rule's order"),
        ("AP(rel=0)", "every judged document is relevant"),
        ("Rprec(multiple=2)", "at the default of multiple alone"),
    ],
)
def test_what_has_no_bounds_says_why(name: str, reason: str) -> None:
    (measure,) = parse_measures([name], read_catalog())
    assert reason in unbounded(read_catalog(), measure)


# Two runs


@dataclass(frozen=True)
class Pair:
    """Topics that two runs rank, with grades of some documents."""

    grades: Mapping[str, Mapping[str, int]]
    runs: Mapping[str, Mapping[str, list[str]]]


def _pair(chance: random.Random, num_topics: int) -> Pair:
    documents = ["a", "b", "c", "d", "e"]
    topics = [f"t{at}" for at in range(num_topics)]
    grades = {topic: {d: chance.randint(0, 2) for d in documents if chance.random() < 0.6} for topic in topics}
    return Pair(
        {topic: {**judged, "two": 2, "none": 0} for topic, judged in grades.items()},
        {run: {topic: chance.sample(documents, 4) for topic in topics} for run in ("one", "other")},
    )


def _differences(pair: Pair, name: str, judged: Mapping[str, Mapping[str, int]]) -> Iterator[float]:
    """The difference of the means by all grades that are open: those of documents among the first three of a run."""
    value = _LOOPS.get(name) or value_of(name)
    runs = pair.runs["one"], pair.runs["other"]
    holes = [
        (topic, document)
        for topic, given in judged.items()
        for document in sorted({*runs[0][topic][:3], *runs[1][topic][:3]} - given.keys())
    ]
    for grades in product(range(3), repeat=len(holes)):
        filled = {topic: dict(given) for topic, given in judged.items()}
        for (topic, document), grade in zip(holes, grades, strict=True):
            filled[topic][document] = grade
        means = [
            sum(value(Topic(filled[t], {d: -float(at) for at, d in enumerate(run[t])}, 2)) for t in run) for run in runs
        ]
        yield (means[0] - means[1]) / len(judged)


def _settled(pair: Pair, name: str) -> tuple[int, int]:
    """How many holes judged not relevant settle the order at least; and how many there are that move anything."""
    first = max(_differences(pair, name, pair.grades), key=abs)
    sign = 1 if next(_differences(pair, name, pair.grades)) > 0 else -1
    assert first
    holes = [
        (topic, document)
        for topic, given in pair.grades.items()
        for document in sorted({d for run in pair.runs.values() for d in run[topic][:3]} - given.keys())
    ]

    def found(chosen: Sequence[tuple[str, str]]) -> dict[str, dict[str, int]]:
        new = {topic: dict(given) for topic, given in pair.grades.items()}
        for topic, document in chosen:
            new[topic][document] = 0
        return new

    moving = 0
    for topic, document in holes:
        alone = found([each for each in holes if each != (topic, document)])
        moving += max(values := [*_differences(pair, name, alone)]) - min(values) > 1e-9
    for number in range(len(holes) + 1):
        for chosen in combinations(holes, number):
            if all(sign * difference > 1e-9 for difference in _differences(pair, name, found(chosen))):
                return number, moving
    raise AssertionError("judging all of them leaves the order open")


@pytest.mark.parametrize(
    "name",
    few_of(["P@3", "SDCG(max_rel=3)@3", "DCG@3", "RBP(p=0.5,gains={0:0.25,1:0.5,2:1})@3", "Hits@3", "CG@3"], 1),
)
def test_pairs_are_open_where_some_grades_turn_them(tmp_path: Path, name: str) -> None:
    chance, seen = random.Random(3), 0
    while seen < 2:
        pair = _pair(chance, 2)
        if not 1 <= len(list(_differences(pair, name, pair.grades))) <= 3**5:
            continue
        now = next(_differences(pair, name, pair.grades))
        if abs(now) < 1e-9:
            continue
        found = _open_pairs(pair, name, tmp_path)
        differences = [now / abs(now) * each for each in _differences(pair, name, pair.grades)]
        assert bool(found) is (min(differences) <= 1e-9)
        for run, least, greatest, basis, fewest, most in found:
            seen += 1
            assert (run, basis) == ("one" if now > 0 else "other", "documents")
            assert (least, greatest) == pytest.approx((min(differences), max(differences)), abs=1e-9)
            assert (fewest, most) == _settled(pair, name)


def _open_pairs(pair: Pair, name: str, folder: Path) -> list[tuple[Any, ...]]:
    with new_warehouse() as warehouse:
        rows = [f"{topic} 0 {d} {grade}\n" for topic, given in pair.grades.items() for d, grade in given.items()]
        warehouse.load_qrels(write(folder / "pair.txt", "".join(rows)), "pair")
        runs = {
            run: {topic: {d: -float(at) for at, d in enumerate(order)} for topic, order in topics.items()}
            for run, topics in pair.runs.items()
        }
        load_together(warehouse, runs, qrels=["pair"])
        pairs, _ = Holes(warehouse.evaluation, warehouse.evaluation.named(name)).pairs()
        return warehouse.rows(f"select run, least_difference, greatest_difference, basis, fewest, most from ({pairs})")


def test_a_difference_of_0_but_for_rounding_is_0() -> None:
    """The least mean of one run less the greatest of the other, 0.3 less 0.1 + 0.2, is -5.6e-17 in binary."""
    upper, lower = ("'a'", 0.4, 0.3, 0.5), ("'b'", 0.2, 0.1, 0.1 + 0.2)
    assert upper[2] != lower[3]
    of_run = "select 'q' as qrels, 'P' as measure, {} as run, {}::double as value, {}::double as least, {}::double"
    effects = " union all ".join(f"{of_run.format(*each)} as greatest, 1 as num_holes" for each in (upper, lower))
    names = ("qrels", "measure", "run", "other_run", "least_difference", "greatest_difference", "fewest", "most")
    joint = f"select {', '.join(f'null as {name}' for name in names)} limit 0"
    with new_warehouse() as warehouse:
        inputs = {"hole_effects": effects, "hole_differences": joint}
        found = warehouse.rows(
            f"select least_difference from ({relation_query(warehouse.catalog, 'hole_pairs', inputs)})"
        )
    assert found == [(0.0,)]


def test_filled_rankings_have_every_rank_once(sample: Warehouse) -> None:
    """Down to the cutoff, or the end of a shorter ranking; what is judged keeps its grade."""
    retrieved = sample.rows("""
        select evaluation_id, rank, grade
        from evaluations
        join retrieved using (run_id, topic_id)
        left join judged_documents using (qrels_id, topic_id, document_id)
        where rank <= 15 order by all
    """)
    expected, found = [], dict[int, int]()
    for evaluation, rank, judged in retrieved:
        grade = 2 if judged is None or judged < 0 else judged
        found[evaluation] = found.get(evaluation, 0) + (grade >= 1)
        expected.append((evaluation, rank, rank, found[evaluation] if grade >= 1 else 0, grade))
    assert any(grade is None for *_, grade in retrieved)
    columns = "evaluation_id, rank, judged_rank, relevant_rank, grade"
    assert sample.rows(f"select {columns} from filled_ranks(k := 15, most := 2) order by all") == expected


def test_utility_counts_no_unseen_documents_where_they_are_worth_the_same(sample: Warehouse) -> None:
    def plan(arguments: str) -> str:
        return str(sample.rows(f"explain from utility_bounds({arguments})"))

    assert "retrieved" in plan("missed := 2")
    assert "retrieved" not in plan("")


def test_documents_that_count_in_no_bound_are_not_told(sample: Warehouse) -> None:
    def told(name: str) -> list[tuple[Any, ...]]:
        values = Holes(sample.evaluation, sample.evaluation.named(name)).values
        return sample.rows(f"select qrels, run, topic, num_holes, num_unseen from ({values}) order by all")

    missed, by_default = told("Utility(missed=1)"), told("Utility")
    assert any(num_unseen for *_, num_unseen in missed)
    assert by_default == [(*key, num_holes, 0) for *key, num_holes, _ in missed]


def test_holes_weigh_as_much_for_measures_of_judged_documents(sample: Warehouse) -> None:
    def differences(name: str) -> list[tuple[Any, ...]]:
        pairs, _ = Holes(sample.evaluation, sample.evaluation.named(name), runs=["dense", "random"]).pairs()
        return sample.rows(f"select run, least_difference, greatest_difference, most from ({pairs})")

    (found,), (expected,) = differences("DCG(judged_only=true)@10"), differences("DCG@10")
    assert found == pytest.approx(expected)


def test_the_command_shows_intervals_and_open_pairs(demo: Command) -> None:
    rows = list(csv_rows(demo("holes", "-m", "P@10,AP,Bpref", "--unseen", "0", "--format", "csv").stdout))
    assert {row["measure"] for row in rows} == {"P@10", "AP"}
    assert all(float(row["least"]) <= float(row["value"]) <= float(row["greatest"]) for row in rows)
    assert {row["num_unseen"] for row in rows} == {"0"}
    outcome = demo("holes", "-m", "P@10,AP,Bpref", "--pairs", "--format", "csv")
    pairs = list(csv_rows(outcome.stdout))
    assert {(row["measure"], row["basis"]) for row in pairs} == {("P@10", "documents"), ("AP", "intervals")}
    assert all(int(row["fewest"]) <= int(row["most"]) for row in pairs if row["fewest"])
    assert "Bpref has no bounds" in outcome.stderr
    assert "unjudged documents decide the order of at most" in outcome.stderr
    assert_refused(demo("holes", "-m", "Bpref"), "Bpref has no bounds")
