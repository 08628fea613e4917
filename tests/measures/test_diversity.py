"""Diversity measures against ndeval (through pyndeval and ir_measures) and plain loops, and loading subtopics."""

import math
import random
import shutil
from fractions import Fraction
from functools import cache
from pathlib import Path

import ir_measures
import pandas as pd
import pyndeval
import pytest

from evalsql import InputError, Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.conftest import FIXTURES, SAMPLE, Command, module_warehouse, write
from tests.long_cases import few_of, first_of_each
from tests.measures.plain_measures import NAMES
from tests.measures.tied import compare_orders, orders
from tests.measures.topic_values import by_topic, call, values
from tests.oracles import brute_force_diversity as plain
from tests.oracles.brute_force_diversity import (
    DiversityCollection,
    DiversityTopic,
    Judged,
    Scores,
    diversity_collection,
)
from tests.oracles.by_name import loop, value_of

CATALOG = read_catalog()
EXACT = 1e-9
ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
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
# Measures that know what ties do to them, and beginnings of those that know what is expected, but neither the worst nor
# the best.
TIED = NAMES["tied subtopics"]
EXPECTED_ONLY = ("StRecall", "AP_IA", "alpha_", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")


def short_ties() -> DiversityCollection:
    """Short rankings in which few scores stand for many documents."""
    chance = random.Random(5)
    judged: dict[str, Judged] = {}
    run: dict[str, Scores] = {}
    for number in range(40):
        documents = [f"d{at}" for at in range(chance.randint(2, 6))]
        judged[f"t{number}"] = {
            f"s{at}": {document: chance.choice((-1, 0, 1, 1, 2)) for document in documents if chance.random() < 0.6}
            | {"unseen": chance.choice((0, 1))}
            for at in range(chance.randint(1, 4))
        }
        run[f"t{number}"] = {document: float(chance.choice((1, 2, 2, 3))) for document in [*documents, "u"]}
    return DiversityCollection(judged, run)


# Topics of one have other names than those of the other.
STRICT = diversity_collection(12, tied=False, topics=110)
LARGER = diversity_collection(12, tied=False, topics=250)  # begins with the same topics
COLLECTIONS = {"tied": diversity_collection(0, tied=True, topics=110), "strict": STRICT, "short": short_ties()}
TOPICS = {topic: one for collection in COLLECTIONS.values() for topic, one in collection.topics().items()}


def load(warehouse: Warehouse, one: DiversityCollection, name: str = "judged") -> None:
    frame = pd.DataFrame(one.rows(), columns=["topic", "iteration", "document", "grade"])
    warehouse.load_qrels(frame, name, form="groups")
    warehouse.load_run(one.run, f"run of {name}", qrels=[name])


def load_all(warehouse: Warehouse) -> None:
    for name, one in COLLECTIONS.items():
        load(warehouse, one, name)


loaded = module_warehouse(load_all)
larger = module_warehouse(lambda warehouse: load(warehouse, LARGER))


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


def compare(warehouse: Warehouse, ours: str, theirs: dict[str, dict[str, float]], name: str, rel: int) -> None:
    """Ours equal theirs, but for what ndeval leaves undivided and for its NaN."""
    expected = dict(theirs[name])
    for topic in expected:
        subtopics = len(DiversityTopic(LARGER.judged[topic], {}).relevant(rel))
        if name in NOT_DIVIDED:
            expected[topic] /= max(subtopics, 1)
        elif name == "nNRBP" and not subtopics:
            assert math.isnan(expected[topic])
            expected[topic] = 0.0
    found = by_topic(warehouse, ours)
    assert {topic: found[topic] for topic in expected} == pytest.approx(expected, abs=EXACT), ours
    assert sum(value > 0 for value in expected.values()) > 30


# With these values of alpha ndeval's sums are exact, and so it sees ties among equal gains as they are.
@pytest.mark.parametrize(("alpha", "rel"), few_of([(0.5, 1), (0.75, 2), (0.0, 1), (0.25, 1), (0.5, 2), (1.0, 1)], 1))
def test_measures_equal_ndeval(request: pytest.FixtureRequest, alpha: float, rel: int) -> None:
    warehouse = request.getfixturevalue("loaded" if rel == 1 else "larger")
    cutoffs = (1, 4, 20)
    theirs = ndeval(STRICT if rel == 1 else LARGER, rel=rel, alpha=alpha, beta=0.6, cutoffs=cutoffs)
    for name, their_name in WITH_CUTOFF.items():
        options = f"rel={rel}" if name in ("P_IA", "StRecall") else f"rel={rel},alpha={alpha}"
        for k in cutoffs:
            compare(warehouse, f"{name}({options})@{k}", theirs, f"{their_name}@{k}", rel)
    for name, their_name in WHOLE.items():
        options = f"rel={rel}" if name == "AP_IA" else f"rel={rel},alpha={alpha},beta=0.6"
        compare(warehouse, f"{name}({options})", theirs, their_name, rel)


@pytest.mark.parametrize("alpha", [0.3, 0.9])
def test_ndeval_is_left_only_where_rounding_decides_its_ties(loaded: Warehouse, alpha: float) -> None:
    """With these values of alpha it takes one of two documents that gain alike for better."""
    theirs = ndeval(STRICT, alpha=alpha, cutoffs=(20,))["alpha-nDCG@20"]
    ours = by_topic(loaded, f"alpha_nDCG(alpha={alpha})@20")
    numbers = list(dict.fromkeys(subtopic for _, subtopic, _, _ in STRICT.rows()))
    rounded = 0
    for topic, peer in theirs.items():
        relevant = TOPICS[topic].relevant()
        in_order = {subtopic: relevant[subtopic] for subtopic in numbers if subtopic in relevant}
        exact, by_floats = (
            plain.total(plain.gains(plain.ideal_order(in_order, alpha, number), relevant, alpha), plain.logarithmic, 20)
            for number in (Fraction, float)
        )
        rounded += abs(exact - by_floats) > EXACT
        assert ours[topic] * exact == pytest.approx(peer * by_floats, abs=EXACT), topic
    assert 0 < rounded < 10


def names_of_measures(rel: int, alpha: float, *, judged_only: bool) -> list[str]:
    kept = f"rel={rel},judged_only={str(judged_only).lower()}"
    names = [f"AP_IA({kept})"]
    for k in ("null", 1, 5):
        names += [f"{name}({kept},alpha={alpha},k={k})" for name in ("alpha_nDCG", "alpha_DCG", "nERR_IA", "ERR_IA")]
        names += [f"P_IA({kept},k={k})", f"StRecall(rel={rel},k={k})"]
    if not judged_only:
        names += [f"{n}(rel={rel},alpha={alpha},beta={beta})" for n in ("nNRBP", "NRBP") for beta in (0.5, 0.9)]
    return names


@pytest.mark.parametrize(
    ("rel", "alpha", "judged_only"),
    few_of([(1, 0.3, False), (2, 0.5, True), (1, 0.5, False), (1, 0.0, True), (1, 1.0, False), (2, 0.9, False)], 1),
)
def test_columns_equal_plain_loops(loaded: Warehouse, rel: int, alpha: float, judged_only: bool) -> None:
    """Topics without a relevant document and topics that the run leaves out score 0."""
    hopeless = {topic for topic, one in TOPICS.items() if not one.relevant(rel)}
    missing = {topic for topic, one in TOPICS.items() if not one.scores}
    assert min(len(hopeless), len(missing)) > 5
    for name in names_of_measures(rel, alpha, judged_only=judged_only):
        expected = {topic: loop(name)(one) for topic, one in TOPICS.items()}
        for column in next(iter(expected.values())):
            found = {topic: each[column] for topic, each in expected.items()}
            assert by_topic(loaded, name, column) == pytest.approx(found, abs=EXACT), (name, column)
            assert any(found.values()) or (alpha == 0 and "k=null" in name)
        assert {expected[topic]["value"] for topic in hopeless | missing} == {0.0}


@pytest.mark.long
def test_a_long_topic_equals_plain_loops(empty: Warehouse) -> None:
    """As large as those of the Web tracks: ten subtopics, hundreds of relevant documents of some forty kinds."""
    judged = {
        f"{subtopic}": {f"clueweb-{at * 7919 % 1000:03}": int((at * at + at) % (subtopic + 3) < 2) for at in range(300)}
        for subtopic in range(10)
    }
    topic = DiversityTopic(judged, {f"clueweb-{at * 31 % 1000:03}": float(-at) for at in range(0, 1000, 2)})
    one = DiversityCollection({"1": judged}, {"1": topic.scores})
    load(empty, one)
    assert len(set().union(*topic.relevant().values())) > 200
    for name in ("alpha_nDCG@20", "alpha_nDCG@100", "alpha_nDCG"):
        assert by_topic(empty, name) == pytest.approx({"1": value_of(name)(topic)}, abs=EXACT)
    assert by_topic(empty, "alpha_nDCG@20") == pytest.approx(ndeval(one, cutoffs=(20,))["alpha-nDCG@20"], abs=EXACT)


@pytest.mark.long
def test_the_sample_in_subtopics_equals_ir_measures(empty: Warehouse) -> None:
    """Each relevant document of the sample is put into one to three subtopics."""
    judged = []
    for line in (SAMPLE / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        number = int(document.rpartition("-")[2])
        subtopics = {number % 5, number * number % 7, number % 3} if int(grade) > 0 else {0}
        judged += [(topic, f"s{subtopic}", document, int(grade)) for subtopic in subtopics]
    empty.load_qrels(pd.DataFrame(judged, columns=["topic", "iteration", "document", "grade"]), "web", form="groups")
    runs = ("bm25", "random")
    empty.load_runs([SAMPLE / "runs" / f"{run}.run" for run in runs])
    qrels = [ir_measures.Qrel(topic, document, grade, subtopic) for topic, subtopic, document, grade in judged]
    # Tied documents are given to it in our order.
    query = "select topic, document, -rank from rankings where run = ? order by topic, rank"
    ranked = {run: [ir_measures.ScoredDoc(*row) for row in empty.rows(query, [run])] for run in runs}
    names = [*(f"{name}@{k}" for name in WITH_CUTOFF for k in (5, 20)), *WHOLE, "nNRBP(alpha=0.25,beta=0.8)"]
    for name in (*names, f"{ALPHA}_nDCG(alpha=0.25)@10", "alpha_nDCG(rel=2)@10", "MAP_IA(rel=2)"):
        measure = ir_measures.parse_measure(name)
        assert call(empty, str(measure)) == call(empty, name)
        evaluator = ir_measures.evaluator([measure], qrels)
        ours = values(empty, name, "run, topic")
        for run, rows in ranked.items():
            theirs = {(run, metric.query_id): metric.value for metric in evaluator.iter_calc(rows)}
            assert len(theirs) > 30
            assert {key: ours[key] for key in theirs} == pytest.approx(theirs, abs=EXACT), (name, run)


@cache
def every_order() -> dict[str, list[DiversityTopic]]:
    topics = COLLECTIONS["short"].topics().items()
    return {topic: [DiversityTopic(one.judged, order) for order in orders(one.scores)] for topic, one in topics}


@pytest.mark.parametrize("name", first_of_each(TIED, 1))
def test_ties_equal_every_permutation(loaded: Warehouse, name: str) -> None:
    kinds = ["expected"] if name.startswith(EXPECTED_ONLY) else ["worst", "best", "expected"]
    assert list(tie_variants(parse_measures([name], CATALOG)[0])) == kinds
    found = {topic: [value_of(name)(each) for each in every] for topic, every in every_order().items()}
    compare_orders(loaded, name, found, differing=-1 if "k=null" in name or name == "StRecall" else 5)


def test_without_a_cutoff_sums_tend_to_their_limit(loaded: Warehouse) -> None:
    for name in ("alpha_DCG(alpha=0.1,{})", "ERR_IA(alpha=0.1,{})", "ERR_IA({})", "alpha_nDCG({})", "StRecall({})"):
        whole, long = (by_topic(loaded, name.format(f"k={k}")) for k in ("null", 2_000_000_000))
        assert whole == pytest.approx(long, abs=EXACT)
    # Without a loss by repetition what could be gained has no bound, but to any depth it has.
    assert set(by_topic(loaded, "ERR_IA(alpha=0)").values()) == {0.0}
    harmonic = math.fsum(1 / rank for rank in range(1, 100_001))
    deep, shallow = (by_topic(loaded, f"ERR_IA(alpha=0)@{k}") for k in (100_000, 1))
    first = {topic for topic, one in TOPICS.items() if len(one.scores) == 1}
    assert {t: deep[t] for t in first} == pytest.approx({t: shallow[t] / harmonic for t in first}, abs=EXACT)


@pytest.mark.parametrize(
    ("name", "same"), [("AP_IA", "AP"), ("P_IA@5", "P@5"), ("StRecall@3", "Success@3"), ("NRBP(alpha=0)", "RBP(p=0.5)")]
)
def test_one_iteration_is_one_subtopic(sample: Warehouse, name: str, same: str) -> None:
    """What is judged in the form grades has subtopics by its iterations too; the sample has one, 0."""
    ours, theirs = (values(sample, each, "run, topic") for each in (name, same))
    assert ours == pytest.approx(theirs, abs=EXACT)


def test_documents_in_one_subtopic_each_need_no_form(empty: Warehouse, tmp_path: Path) -> None:
    text = "t s1 a 1\nt s1 b 1\nt s2 c 1\nt s3 d 0\n"
    for name, form in (("plain", "grades"), ("grouped", "groups")):
        empty.load_qrels(write(tmp_path / "q.txt", text), name, form=form)
    empty.load_run({"t": {"a": 3.0, "c": 2.0, "b": 1.0}}, "system", qrels=["plain", "grouped"])
    assert values(empty, "StRecall@1", "qrels") == {"grouped": 0.5, "plain": 0.5}
    assert values(empty, "alpha_nDCG@3", "qrels") == {"grouped": 1.0, "plain": 1.0}


def test_preferences_have_no_subtopics(empty: Warehouse) -> None:
    empty.load_qrels(FIXTURES / "preferences" / "prefs.txt", form="preferences")
    empty.load_runs(FIXTURES / "preferences" / "runs" / "system.run")
    for name in (*WITH_CUTOFF, *WHOLE):
        assert set(by_topic(empty, name).values()) == {0.0}


@pytest.mark.long
def test_subtopics_on_the_command_line(command: Command, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "diversity" / "groups.txt", tmp_path / "web.txt")
    shutil.copy(FIXTURES / "diversity" / "runs" / "system.run", tmp_path)
    for arguments in (("load", "qrels", "web.txt"), ("eval", "web.txt", "system.run")):
        done = command(*arguments)
        assert done.returncode == 2
        assert "web.txt:5: document a of topic q1 is already judged at line 1, with iteration 1" in done.stderr
        assert "--form groups" in done.stderr
        assert "subtopic" in done.stderr
    measures = ("-m", f"{ALPHA}_nDCG@3", "-m", "MAP_IA")
    done = command("eval", "web.txt", "system.run", "--form", "groups", *measures, "--format", "csv")
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
