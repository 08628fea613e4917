"""Diversity measures against ndeval (through pyndeval and ir_measures) and plain loops, and loading subtopics."""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyndeval
import pytest

from evalsql import InputError, Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.conftest import FIXTURES, SAMPLE, Command, new_warehouse, write
from tests.long_cases import few_of
from tests.measures.tied import compare_orders, orders
from tests.measures.topic_values import values, values_by_topic
from tests.oracles import brute_force_diversity as plain
from tests.oracles.brute_force import ranking
from tests.oracles.brute_force_diversity import DiversityCollection, Judged, Scores, diversity_collection

CATALOG = read_catalog()
EXACT = 1e-9
# Name here, name in ndeval.
WITH_CUTOFF = {
    "alpha_nDCG": "alpha-nDCG",
    "alpha_DCG": "alpha-DCG",
    "nERR_IA": "nERR-IA",
    "ERR_IA": "ERR-IA",
    "P_IA": "P-IA",
    "StRecall": "strec",
}
WHOLE = {"AP_IA": "MAP-IA", "NRBP": "NRBP", "nNRBP": "nNRBP"}
# At its first place ndeval divides these by nothing.
NOT_DIVIDED = ("alpha-DCG@1", "ERR-IA@1")
RANKED = "select topic, document, -rank from rankings where run = ? order by topic, rank"
Loaded = tuple[Warehouse, DiversityCollection]


def together(*, tied: bool) -> DiversityCollection:
    judged: dict[str, Judged] = {}
    run: dict[str, Scores] = {}
    for seed in range(80):
        one = diversity_collection(seed, tied=tied)
        judged |= one.judged
        run |= one.run
    return DiversityCollection(judged, run)


def load(warehouse: Warehouse, one: DiversityCollection, name: str = "judged") -> None:
    frame = pd.DataFrame(one.rows(), columns=["topic", "iteration", "document", "grade"])
    warehouse.load_qrels(frame, name, form="groups")
    warehouse.load_run(one.run, f"run of {name}", qrels=[name])


@pytest.fixture(scope="module")
def tied() -> Iterator[Loaded]:
    one = together(tied=True)
    with new_warehouse() as warehouse:
        load(warehouse, one)
        yield warehouse, one


@pytest.fixture(scope="module")
def strict() -> Iterator[Loaded]:
    one = together(tied=False)
    with new_warehouse() as warehouse:
        load(warehouse, one)
        yield warehouse, one


def ndeval(
    one: DiversityCollection, *, rel: int = 1, alpha: float = 0.5, beta: float = 0.5, cutoffs: tuple[int, ...] = ()
) -> dict[str, dict[str, float]]:
    """ndeval's values, by its measure and topic."""
    names = [*WHOLE.values(), *(f"{name}@{k}" for name in WITH_CUTOFF.values() for k in cutoffs)]
    evaluator = pyndeval.RelevanceEvaluator(one.rows(), names, rel, alpha, beta)
    ranked = [(topic, document, score) for topic, scores in one.run.items() for document, score in scores.items()]
    found: dict[str, dict[str, float]] = {}
    for topic, by_name in evaluator.evaluate(ranked).items():
        for name, value in by_name.items():
            found.setdefault(name, {})[topic] = value
    return found


def compare(ours: dict[str, float], theirs: dict[str, float], name: str, one: DiversityCollection, rel: int) -> int:
    """Ours equal theirs, but for what ndeval leaves undivided and for its NaN; how many values are above 0."""
    for topic, value in theirs.items():
        subtopics = len(plain.relevant_to(one.judged[topic], rel))
        expected = value
        if name in NOT_DIVIDED:
            expected = value / max(subtopics, 1)
        elif name == "nNRBP" and not subtopics:
            assert math.isnan(value)
            expected = 0.0
        assert ours[topic] == pytest.approx(expected, abs=EXACT), (name, topic)
    return sum(value > 0 for value in theirs.values())


# With these values of alpha ndeval's sums are exact, and so it sees ties among equal gains as they are.
@pytest.mark.parametrize(("alpha", "rel"), few_of([(0.5, 1), (0.75, 2), (0.0, 1), (0.25, 1), (0.5, 2), (1.0, 1)]))
def test_measures_equal_ndeval(strict: Loaded, alpha: float, rel: int) -> None:
    warehouse, one = strict
    cutoffs = (1, 4, 20)
    theirs = ndeval(one, rel=rel, alpha=alpha, beta=0.6, cutoffs=cutoffs)
    for name, their_name in WITH_CUTOFF.items():
        given = f"rel={rel}" if name in ("P_IA", "StRecall") else f"rel={rel},alpha={alpha}"
        for k in cutoffs:
            their_cut = f"{their_name}@{k}"
            ours = values_by_topic(warehouse, f"{name}({given})@{k}")
            assert compare(ours, theirs[their_cut], their_cut, one, rel) > 30
    for name, their_name in WHOLE.items():
        given = f"rel={rel}" if name == "AP_IA" else f"rel={rel},alpha={alpha},beta=0.6"
        assert compare(values_by_topic(warehouse, f"{name}({given})"), theirs[their_name], their_name, one, rel) > 30


@pytest.mark.parametrize("alpha", [0.3, 0.9])
def test_ndeval_is_left_only_where_rounding_decides_its_ties(strict: Loaded, alpha: float) -> None:
    """With these values of alpha it takes one of two documents that gain alike for better."""
    warehouse, one = strict
    theirs = ndeval(one, alpha=alpha, cutoffs=(20,))["alpha-nDCG@20"]
    ours = values_by_topic(warehouse, f"alpha_nDCG(alpha={alpha})@20")
    numbers = list(dict.fromkeys(subtopic for _, subtopic, _, _ in one.rows()))
    rounded = 0
    for topic, value in theirs.items():
        relevant = plain.relevant_to(one.judged[topic], 1)
        in_order = {subtopic: relevant[subtopic] for subtopic in numbers if subtopic in relevant}
        exact, by_floats = (
            plain.total(plain.gains(plain.ideal_order(in_order, alpha, number), relevant, alpha), plain.logarithmic, 20)
            for number in (Fraction, float)
        )
        rounded += abs(exact - by_floats) > EXACT
        assert ours[topic] * exact == pytest.approx(value * by_floats, abs=EXACT), topic
    assert 0 < rounded < 10


def test_judged_only_is_the_ranking_without_the_others(strict: Loaded) -> None:
    warehouse, one = strict
    run = {
        topic: {document: scores[document] for document in plain.kept(one.judged[topic], scores, judged_only=True)}
        for topic, scores in one.run.items()
    }
    theirs = ndeval(DiversityCollection(one.judged, run), cutoffs=(3, 10))
    for name, their_name in WITH_CUTOFF.items():
        for k in (3, 10) if name != "StRecall" else ():
            ours = values_by_topic(warehouse, f"{name}(judged_only=true)@{k}")
            assert compare(ours, theirs[f"{their_name}@{k}"], f"{their_name}@{k}", one, 1) > 30
    assert compare(values_by_topic(warehouse, "AP_IA(judged_only=true)"), theirs["MAP-IA"], "MAP-IA", one, 1) > 30


Plain = Callable[[Judged, Scores], float]


def plain_measures(rel: int, alpha: float, judged_only: bool) -> Iterator[tuple[str, Plain]]:
    """Measures by name with a function for each."""
    kept: dict[str, Any] = {"rel": rel, "judged_only": judged_only}
    novel = {**kept, "alpha": alpha}
    for name, function, discount in (
        ("alpha_nDCG", plain.against_ideal, plain.logarithmic),
        ("alpha_DCG", plain.against_all_relevant, plain.logarithmic),
        ("nERR_IA", plain.against_ideal, plain.reciprocal),
        ("ERR_IA", plain.against_all_relevant, plain.reciprocal),
    ):
        for k in (None, 1, 5):
            yield f"{name}({given(novel, k=k)})", partial(function, discount=discount, k=k, **novel)
    for k in (None, 1, 5):
        yield f"P_IA({given(kept, k=k)})", partial(plain.p_ia, k=k, **kept)
        yield f"StRecall({given({'rel': rel}, k=k)})", partial(plain.st_recall, k=k, rel=rel)
    yield f"AP_IA({given(kept)})", partial(plain.ap_ia, **kept)
    for beta in (0.5, 0.9) if not judged_only else ():
        options: dict[str, Any] = {"rel": rel, "alpha": alpha}
        geometric = plain.geometric(beta)
        yield f"nNRBP({given(options, beta=beta)})", partial(plain.against_ideal, discount=geometric, **options)
        # Without the end that its own factor stands for the sum goes on to any length.
        whole = partial(plain.against_all_relevant, discount=geometric, k=2000, **options)
        yield f"NRBP({given(options, beta=beta)})", whole


def given(options: dict[str, float], **more: float | None) -> str:
    return ",".join(f"{name}={'null' if value is None else value}" for name, value in {**options, **more}.items())


@pytest.mark.parametrize(
    ("rel", "alpha", "judged_only"),
    few_of([(2, 0.5, True), (1, 0.3, False), (1, 0.5, False), (1, 0.0, True), (1, 1.0, False), (2, 0.9, False)]),
)
def test_measures_equal_plain_loops(tied: Loaded, rel: int, alpha: float, judged_only: bool) -> None:
    warehouse, one = tied
    for name, function in plain_measures(rel, alpha, judged_only):
        expected = {topic: function(judged, one.run.get(topic, {})) for topic, judged in one.judged.items()}
        assert values_by_topic(warehouse, name) == pytest.approx(expected, abs=EXACT), name
        assert any(expected.values()) or (alpha == 0 and "k=null" in name)


def alpha_dcg(judged: Judged, scores: Scores) -> float:
    return plain.total(plain.gains(ranking(scores), plain.relevant_to(judged, 1), 0.3), plain.logarithmic, 4)


def ideal_alpha_dcg(judged: Judged, scores: Scores) -> float:
    relevant = plain.relevant_to(judged, 1)
    order = plain.ideal_order(relevant, 0.3) if relevant else []
    return plain.total(plain.gains(order, relevant, 0.3), plain.logarithmic, 4)


COLUMNS: dict[str, dict[str, Plain]] = {
    "alpha_nDCG(alpha=0.3)@4": {"dcg": alpha_dcg, "idcg": ideal_alpha_dcg},
    **{
        f"StRecall({given({'rel': rel}, k=k)})": {
            "num_found": lambda judged, scores, rel=rel, k=k: (  # type: ignore[misc]
                plain.st_recall(judged, scores, k, rel=rel) * len(plain.relevant_to(judged, rel))
            ),
            "num_subtopics": lambda judged, scores, rel=rel: len(plain.relevant_to(judged, rel)),  # type: ignore[misc]
        }
        for rel, k in ((1, None), (1, 1), (2, 5))
    },
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_equal_plain_loops(tied: Loaded, strict: Loaded, name: str) -> None:
    for column, function in COLUMNS[name].items():
        for warehouse, one in (tied, strict):
            expected = {
                ("judged", topic): function(judged, one.run.get(topic, {})) for topic, judged in one.judged.items()
            }
            assert values(warehouse, name, column) == pytest.approx(expected, abs=EXACT), column
        assert len(set(expected.values())) > 3


def test_what_the_random_topics_hold(tied: Loaded) -> None:
    """Topics without a relevant document and topics that the run leaves out score 0; some ranking beats the ideal."""
    _, one = tied
    hopeless = {topic for topic, judged in one.judged.items() if not plain.relevant_to(judged, 1)}
    missing = one.judged.keys() - one.run.keys()
    assert len(hopeless) > 5
    assert len(missing) > 5
    for relation in CATALOG.measures:
        if relation.path.parent.name == "diversity":
            found = values_by_topic(tied[0], relation.header.measure)
            assert found.keys() == one.judged.keys()
            assert {found[topic] for topic in hopeless | missing} == {0.0}


def test_a_long_topic_equals_plain_loops(empty: Warehouse) -> None:
    """As large as those of the Web tracks: ten subtopics, hundreds of relevant documents of some forty kinds."""
    judged = {
        f"{subtopic}": {f"clueweb-{at * 7919 % 1000:03}": int((at * at + at) % (subtopic + 3) < 2) for at in range(300)}
        for subtopic in range(10)
    }
    scores = {f"clueweb-{at * 31 % 1000:03}": float(-at) for at in range(0, 1000, 2)}
    one = DiversityCollection({"1": judged}, {"1": scores})
    load(empty, one)
    assert len(set().union(*plain.relevant_to(judged, 1).values())) > 200
    for k in (20, 100, None):
        expected = plain.against_ideal(judged, scores, plain.logarithmic, k)
        assert values_by_topic(empty, f"alpha_nDCG(k={k})") == pytest.approx({"1": expected}, abs=EXACT)
    assert compare(values_by_topic(empty, "alpha_nDCG@20"), ndeval(one, cutoffs=(20,))["alpha-nDCG@20"], "", one, 1)


def test_the_sample_in_subtopics_equals_ir_measures(empty: Warehouse) -> None:
    """Each relevant document of the sample is put into one to three subtopics."""
    judged = []
    for line in (SAMPLE / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        number = int(document.rpartition("-")[2])
        subtopics = {number % 5, number * number % 7, number % 3} if int(grade) > 0 else {0}
        judged += [(topic, f"s{subtopic}", document, int(grade)) for subtopic in subtopics]
    empty.load_qrels(pd.DataFrame(judged, columns=["topic", "iteration", "document", "grade"]), "web", form="groups")
    empty.load_runs(str(SAMPLE / "runs" / "*.run"))
    qrels = [ir_measures.Qrel(topic, document, grade, subtopic) for topic, subtopic, document, grade in judged]
    # Tied documents are given to it in our order.
    ranked = [
        [ir_measures.ScoredDoc(*row) for row in empty.rows(RANKED, [run])]
        for run in ("bm25", "dense", "rerank-small", "random")
    ]
    names = [*(f"{name}@{k}" for name in WITH_CUTOFF for k in (5, 20)), *WHOLE, "nNRBP(alpha=0.25,beta=0.8)"]
    for name in (*names, "\N{GREEK SMALL LETTER ALPHA}_nDCG(alpha=0.25)@10", "alpha_nDCG(rel=2)@10", "MAP_IA(rel=2)"):
        measure = ir_measures.parse_measure(name)
        call = parse_measures([name], CATALOG)[0].call
        assert parse_measures([str(measure)], CATALOG)[0].call == call
        evaluator = ir_measures.evaluator([measure], qrels)
        ours = {(run, topic): value for run, topic, value in empty.rows(f"select run, topic, value from {call}")}
        for run, rows in zip(("bm25", "dense", "rerank-small", "random"), ranked, strict=True):
            theirs = {metric.query_id: metric.value for metric in evaluator.iter_calc(rows)}
            assert len(theirs) > 30
            assert {topic: ours[run, topic] for topic in theirs} == pytest.approx(theirs, abs=EXACT), (name, run)


def short_ties() -> DiversityCollection:
    """Short rankings in which few scores stand for many documents."""
    chance = random.Random(5)
    judged: dict[str, Judged] = {}
    run: dict[str, Scores] = {}
    for number in range(60):
        documents = [f"d{at}" for at in range(chance.randint(2, 6))]
        judged[f"t{number}"] = {
            f"s{at}": {document: chance.choice((-1, 0, 1, 1, 2)) for document in documents if chance.random() < 0.6}
            | {"unseen": chance.choice((0, 1))}
            for at in range(chance.randint(1, 4))
        }
        run[f"t{number}"] = {document: float(chance.choice((1, 2, 2, 3))) for document in [*documents, "u"]}
    return DiversityCollection(judged, run)


def test_ties_equal_every_permutation(empty: Warehouse) -> None:
    one = short_ties()
    load(empty, one)
    for name, function in plain.TIED.items():
        kinds = ["expected"] if name.startswith(plain.EXPECTED_ONLY) else ["worst", "best", "expected"]
        assert list(tie_variants(parse_measures([name], CATALOG)[0])) == kinds
        found = {
            topic: [function(judged, order) for order in orders(one.run[topic])] for topic, judged in one.judged.items()
        }
        compare_orders(empty, name, found, differing=-1 if "k=null" in name or name == "StRecall" else 10)


def test_without_a_cutoff_sums_tend_to_their_limit(strict: Loaded) -> None:
    for name in ("alpha_DCG(alpha=0.1,{})", "ERR_IA(alpha=0.1,{})", "ERR_IA({})", "alpha_nDCG({})", "StRecall({})"):
        whole, long = (values_by_topic(strict[0], name.format(f"k={k}")) for k in ("null", 2_000_000_000))
        assert whole == pytest.approx(long, abs=EXACT)
    # Without a loss by repetition what could be gained has no bound, but to any depth it has.
    assert set(values_by_topic(strict[0], "ERR_IA(alpha=0)").values()) == {0.0}
    harmonic = math.fsum(1 / rank for rank in range(1, 100_001))
    deep, shallow = (
        values_by_topic(strict[0], "ERR_IA(alpha=0)@100000"),
        values_by_topic(strict[0], "ERR_IA(alpha=0)@1"),
    )
    first = {topic for topic, scores in strict[1].run.items() if len(scores) == 1}
    assert {t: deep[t] for t in first} == pytest.approx({t: shallow[t] / harmonic for t in first}, abs=EXACT)


@pytest.mark.parametrize(
    ("name", "same"),
    [("AP_IA", "AP"), ("P_IA@5", "P@5"), ("StRecall@3", "Success@3"), ("NRBP(alpha=0)", "RBP(p=0.5)")],
)
def test_one_iteration_is_one_subtopic(sample: Warehouse, name: str, same: str) -> None:
    """What is judged in the form grades has subtopics by its iterations too; the sample has one, 0."""
    ours, theirs = (sample.evaluate(each, per_topic=True).fetchall() for each in (name, same))
    assert sorted((*row[:3], pytest.approx(row[4], abs=EXACT)) for row in ours) == sorted(
        (*row[:3], row[4]) for row in theirs
    )


def test_documents_in_one_subtopic_each_need_no_form(empty: Warehouse, tmp_path: Path) -> None:
    text = "t s1 a 1\nt s1 b 1\nt s2 c 1\nt s3 d 0\n"
    for name, form in (("plain", "grades"), ("grouped", "groups")):
        empty.load_qrels(write(tmp_path / "q.txt", text), name, form=form)
    empty.load_run({"t": {"a": 3.0, "c": 2.0, "b": 1.0}}, "system", qrels=["plain", "grouped"])
    assert empty.rows("select qrels, value from st_recall(k := 1) order by 1") == [("grouped", 0.5), ("plain", 0.5)]
    assert empty.rows("select value from alpha_ndcg(k := 3)") == [(1.0,), (1.0,)]


def test_preferences_have_no_subtopics(empty: Warehouse) -> None:
    empty.load_qrels(FIXTURES / "preferences" / "prefs.txt", form="preferences")
    empty.load_runs(FIXTURES / "preferences" / "runs" / "system.run")
    for name in (*WITH_CUTOFF, *WHOLE):
        assert set(values_by_topic(empty, name).values()) == {0.0}


def test_subtopics_on_the_command_line(command: Command, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "diversity" / "groups.txt", tmp_path / "web.txt")
    shutil.copy(FIXTURES / "diversity" / "runs" / "system.run", tmp_path)
    for arguments in (("load", "qrels", "web.txt"), ("eval", "web.txt", "system.run")):
        done = command(*arguments)
        assert done.returncode == 2
        assert "web.txt:5: document a of topic q1 is already judged at line 1, with iteration 1" in done.stderr
        assert "--form groups" in done.stderr
        assert "subtopic" in done.stderr
    alpha = "\N{GREEK SMALL LETTER ALPHA}_nDCG@3"
    done = command("eval", "web.txt", "system.run", "--form", "groups", "-m", alpha, "-m", "MAP_IA", "--format", "csv")
    assert done.returncode == 0
    header, row = done.stdout.splitlines()
    assert header == "qrels,run,alpha_nDCG@3,AP_IA"
    assert [float(value) for value in row.split(",")[2:]] == pytest.approx([0.81258, 0.55506], abs=1e-5)
    assert "subtopic" in " ".join(command("load", "qrels", "--help").stdout.split())


def test_judgments_in_memory_name_the_form(empty: Warehouse) -> None:
    judged = pd.DataFrame({"topic": ["t", "t"], "iteration": ["1", "2"], "document": ["a", "a"], "grade": [1, 1]})
    with pytest.raises(
        InputError, match=r"web:2: .* already judged at row 1.* form='groups'\) each iteration, a group or subtopic"
    ):
        empty.load_qrels(judged, "web")
