"""Fused runs: worked out by hand, stored as any run is, with weights that were searched without the topic."""

import csv
import hashlib
import itertools
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import pytrec_eval

import evalsql
from evalsql import QueryError, UsageError, Warehouse
from evalsql.warehouse import fusion
from tests.conftest import FIXTURES, Command, csv_rows, module_warehouse, new_file, new_warehouse
from tests.long_cases import rows_of
from tests.random_collections import Run

RUNS = "runs := 'A,B'"


def load_case(warehouse: Warehouse) -> None:
    warehouse.load_qrels(FIXTURES / "fusion" / "qrels.txt", "case")
    warehouse.load_runs(str(FIXTURES / "fusion" / "runs" / "*.run"))


golden = module_warehouse(load_case)


def expected_rows() -> list[dict[str, str]]:
    with (FIXTURES / "fusion" / "fused.tsv").open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


@pytest.mark.parametrize("call", dict.fromkeys(row["relation"] for row in expected_rows()))
def test_scores_are_those_worked_out_by_hand(golden: Warehouse, call: str) -> None:
    name, _, arguments = call.removesuffix(")").partition("(")
    found = golden.rows(f"select document, score from {name}({', '.join(filter(None, (RUNS, arguments)))})")
    worked_out = {row["document"]: float(row["score"]) for row in expected_rows() if row["relation"] == call}
    assert dict(found) == pytest.approx(worked_out, abs=6e-7)


@pytest.mark.parametrize("relation", ["rrf", "comb_sum", "borda_fuse"])
def test_a_run_that_is_not_there_is_no_run_less(golden: Warehouse, relation: str) -> None:
    for runs in ("A,nobody", "nobody"):
        with pytest.raises(QueryError, match="runs names nobody, and no run is called so"):
            golden.rows(f"from {relation}(runs := '{runs}')")


@pytest.fixture
def sample(tmp_path: Path, sample_file: Path) -> Iterator[Warehouse]:
    with evalsql.open(new_file(tmp_path, sample_file)) as warehouse:
        yield warehouse


@pytest.fixture(scope="module")
def unchanged(sample_file: Path) -> Iterator[Warehouse]:
    """The same for tests that change nothing."""
    with evalsql.open(new_file(like=sample_file)) as warehouse:
        yield warehouse


def scores_of(warehouse: Warehouse, run: str) -> Run:
    found: Run = {}
    for topic, document, score in warehouse.rows("select topic, document, score from rankings where run = ?", [run]):
        found.setdefault(topic, {})[document] = score
    return found


def meta_of(warehouse: Warehouse, run: str) -> Mapping[str, str]:
    ((meta,),) = warehouse.rows("select meta from runs where run = ?", [run])
    return dict(meta)


def by_trec_eval(warehouse: Warehouse, run: Run, measure: str) -> dict[str, float]:
    """Values by topic, a topic that the run leaves out being 0."""
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in warehouse.rows("select topic, document, grade from judgments"):
        qrels.setdefault(topic, {})[document] = grade
    values = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return {topic: next(iter(values[topic].values())) if topic in values else 0.0 for topic in qrels}


def test_a_fused_run_is_ranked_and_evaluated_as_a_loaded_one(sample: Warehouse) -> None:
    assert sample.fuse("rrf", ["bm25", "dense"], "hybrid2", k=10, meta={"by": "me"}) == "hybrid2"
    expected: Run = {}
    for topic, document, rank in sample.rows(
        "select topic, document, rank from rankings where run in ('bm25', 'dense')"
    ):
        scores = expected.setdefault(topic, {})
        scores[document] = scores.get(document, 0) + 1 / (10 + rank)
    fused = scores_of(sample, "hybrid2")
    assert {topic: pytest.approx(scores, rel=1e-12) for topic, scores in expected.items()} == fused
    values = by_trec_eval(sample, fused, "map")
    ((_, _, mean),) = sample.evaluate("AP", runs="hybrid2").fetchall()
    assert mean == pytest.approx(sum(values.values()) / len(values), abs=1e-12)
    sample.load_run(fused, "loaded")
    order = "select topic, document, rank from rankings where run = ? order by all"
    assert sample.rows(order, ["hybrid2"]) == sample.rows(order, ["loaded"])


def test_its_meta_says_what_it_was_made_of(sample: Warehouse) -> None:
    sample.fuse("wsum", ["dense", "bm25"], "two", weights=[0.25, 1], norm="zmuv", meta={"by": "me"})
    meta = meta_of(sample, "two")
    loaded_at = dict(sample.rows("select run, cast(loaded_at as varchar) from runs"))
    assert meta == {
        "fusion": "sum",
        "fusion_runs": "dense, bm25",
        "fusion_runs_loaded_at": f"{loaded_at['dense']}, {loaded_at['bm25']}",
        "fusion_weights": "0.25,1",
        "fusion_norm": "z-score",
        "by": "me",
    }
    assert sample.rows("select file from files join runs on id = run_id where run = 'two' and kind = 'run'") == [
        ("fused from dense, bm25",)
    ]


def folds_of(topics: list[str], folds: int) -> dict[str, int]:
    order = sorted(topics, key=lambda topic: (hashlib.md5(topic.encode()).hexdigest(), topic))
    return {topic: at % folds + 1 for at, topic in enumerate(order)}


@pytest.mark.long
def test_weights_are_searched_without_the_topic_that_they_are_for(sample: Warehouse) -> None:
    """A plain loop over the weights and folds finds the same, and the stored run has the figure out of fold."""
    runs = ["bm25", "dense", "tfidf"]
    tuning = fusion.fuse(sample.loader, "sum", runs, "tuned", tune="AP", folds=4, step=0.25)
    assert tuning is not None
    normed: dict[str, Run] = {}
    for name in runs:
        normed[name] = {}
        for topic, scores in scores_of(sample, name).items():
            low, high = min(scores.values()), max(scores.values())
            normed[name][topic] = {each: (score - low) / (high - low) for each, score in scores.items()}
    values = {}
    for weights in itertools.product((0, 0.25, 0.5, 0.75, 1), repeat=3):
        if sum(weights) != 1:
            continue
        fused: Run = {}
        for weight, run in zip(weights, normed.values(), strict=True):
            for topic, scores in run.items():
                totals = fused.setdefault(topic, {})
                for document, score in scores.items():
                    totals[document] = totals.get(document, 0.0) + weight * score
        values[weights] = by_trec_eval(sample, fused, "map")
    assert len(values) == 15
    parts = folds_of(sorted(next(iter(values.values()))), 4)

    def best(topics: list[str]) -> tuple[float, ...]:
        def worth(weights: tuple[float, ...]) -> tuple[float, float]:
            mean = sum(values[weights][topic] for topic in topics) / len(topics)
            return round(mean, 12), -sum((each - 1 / 3) ** 2 for each in weights)

        return max(values, key=worth)

    out_of_fold = []
    for each in tuning.folds:
        training = [topic for topic, fold in parts.items() if fold != each.fold]
        weights = best(training)
        assert each.setting == ",".join(f"{weight:g}" for weight in weights)
        assert each.training_topics == len(training)
        assert each.in_fold == pytest.approx(sum(values[weights][topic] for topic in training) / len(training))
        if each.fold:
            out_of_fold += [values[weights][topic] for topic, fold in parts.items() if fold == each.fold]
    mean = sum(out_of_fold) / len(out_of_fold)
    assert tuning.whole.out_of_fold == pytest.approx(mean)
    assert sample.evaluate("AP", runs="tuned").fetchall() == [("sample", "tuned", pytest.approx(mean))]
    meta = meta_of(sample, "tuned")
    assert meta["fusion_tuned_by"] == "AP"
    assert meta["fusion_weights"].endswith(f"; all: {tuning.whole.setting}")
    assert float(meta["fusion_out_of_fold"]) == pytest.approx(mean)
    assert float(meta["fusion_in_fold"]) == pytest.approx(tuning.whole.in_fold)


@pytest.mark.long
def test_searching_in_noise_gains_in_fold_and_not_out_of_it() -> None:
    """Runs that are drawn by lot are all alike: what the search gains is gained on its own topics only."""
    gains = []
    for seed in range(4):
        chance = random.Random(seed)
        with new_warehouse() as warehouse:
            topics = [f"q{number}" for number in range(8)]
            warehouse.load_qrels({topic: {f"d{at}": at % 4 == 0 for at in range(12)} for topic in topics}, "lot")
            for name in ("one", "two", "three"):
                warehouse.load_run({topic: {f"d{at}": chance.random() for at in range(12)} for topic in topics}, name)
            tuned = fusion.fuse(warehouse.loader, "sum", "*", "tuned", tune="AP", folds=4, step=0.25)
            assert tuned is not None
            gains.append(tuned.whole.in_fold - tuned.whole.out_of_fold)
    assert min(gains) >= 0
    assert sum(gains) / len(gains) > 0.02


def test_folds_differ_by_one_topic_and_hang_on_names_only(unchanged: Warehouse) -> None:
    topics = [topic for (topic,) in unchanged.rows("select distinct topic from judgments")]
    found = dict(unchanged.rows("select topic, fold from steps.topic_folds(qrels := 'sample', folds := 7)"))
    assert found == folds_of(topics, 7)
    sizes = [list(found.values()).count(fold) for fold in range(1, 8)]
    assert max(sizes) - min(sizes) == 1


@pytest.mark.long
def test_what_learns_from_judgments_does_not_learn_from_the_topic_itself() -> None:
    """With judgments of one topic turned round its own ranking stays, and those of the others change."""
    chance = random.Random(8)
    topics = [f"q{number}" for number in range(10)]
    runs = {
        name: {topic: {f"d{at}": chance.random() for at in range(20)} for topic in topics} for name in ("one", "two")
    }
    judged = {topic: {f"d{at}": chance.choice((0, 1)) for at in range(20)} for topic in topics}
    turned = {**judged, "q3": {document: 1 - grade for document, grade in judged["q3"].items()}}
    methods = ("map", "pos", "slide", "prob", "seg", "bayes")
    fused = []
    for qrels in (judged, turned):
        with new_warehouse() as warehouse:
            warehouse.load_qrels(qrels, "judged")
            for name, run in runs.items():
                warehouse.load_run(run, name)
            for method in methods:
                warehouse.fuse(method, ["one", "two"], method, folds=5)
            fused.append({method: scores_of(warehouse, method) for method in methods})
    parts = folds_of(topics, 5)
    same = [topic for topic in topics if parts[topic] == parts["q3"]]
    for method, scores in fused[0].items():
        for topic in topics:
            assert (scores[topic] == fused[1][method][topic]) == (topic in same), (method, topic)


@pytest.mark.parametrize(("arguments", "complaint"), rows_of(Path(__file__).with_name("refusals.tsv")))
def test_what_does_not_fit_is_refused_and_nothing_changes(unchanged: Warehouse, arguments: str, complaint: str) -> None:
    held = "select runs, (select count(*) from retrieved) from runs order by run_id"
    before = unchanged.rows(held)
    given = {"method": "rrf", "runs": ["bm25", "dense"], "name": "new", **json.loads(arguments)}
    with pytest.raises(UsageError, match=complaint):
        unchanged.fuse(**given)
    assert unchanged.rows(held) == before


def test_names_with_commas_are_fused_or_refused(empty: Warehouse) -> None:
    for name in ("x,k=1", "y", "z"):
        empty.load_run({"q": {"a": 1.0, "b": 2.0}}, name)
    empty.fuse("rrf", ["x,k=1", "z"], "fine")
    assert scores_of(empty, "fine")["q"] == pytest.approx({"a": 2 / 62, "b": 2 / 61})
    empty.load_run({"q": {"a": 1.0}}, "k=1")
    with pytest.raises(UsageError, match="a comma in a run's name"):
        empty.fuse("rrf", ["x,k=1", "z"], "wrong")


def test_no_score_above_zero_is_no_score_to_divide_by(empty: Warehouse) -> None:
    empty.load_run({"q7": {"a": -1.0, "b": -2.0}}, "logs")
    empty.load_run({"q7": {"a": 1.0}}, "plain")
    with pytest.raises(UsageError, match="logs has none above 0 for topic q7"):
        empty.fuse("sum", ["logs", "plain"], "new", norm="max")
    empty.fuse("sum", ["logs", "plain"], "new")


def test_topics_that_not_all_runs_have_are_told(empty: Warehouse) -> None:
    empty.load_run({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "both")
    empty.load_run({"q1": {"a": 1.0}}, "one")
    with pytest.warns(evalsql.InputWarning, match="1 topic is not in all of these runs"):
        empty.fuse("rrf", ["both", "one"], "new")
    assert scores_of(empty, "new") == {"q1": {"a": pytest.approx(2 / 61)}, "q2": {"a": pytest.approx(1 / 61)}}


def test_a_fused_run_is_evaluated_by_what_evaluates_all_of_the_runs(empty: Warehouse) -> None:
    for name in ("first", "second", "third"):
        empty.load_qrels({"q": {"a": 1}}, name)
    empty.load_run({"q": {"a": 1.0, "b": 2.0}}, "one", qrels=["first", "second"])
    empty.load_run({"q": {"a": 1.0, "b": 2.0}}, "two", qrels=["second", "third"])
    empty.fuse("rrf", ["one", "two"], "new")
    assert empty.rows("select qrels from coverage where run = 'new'") == [("second",)]


def test_the_command_fuses(demo: Command) -> None:
    fused = demo("fuse", "rrf", "bm25", "dense", "--k", "60", "--name", "fused", "--meta", "batch=7")
    assert (fused.returncode, fused.stdout) == (0, "")
    assert "fused bm25, dense into fused: 2,075 documents of 40 topics" in fused.stderr
    again = demo("fuse", "rrf", "bm25", "dense", "--name", "fused")
    assert again.returncode == 2
    assert "--replace" in again.stderr


@pytest.mark.long
def test_the_command_tells_figures_in_and_out_of_fold(demo: Command) -> None:
    tuned = demo("fuse", "sum", "bm25", "dense", "--name", "t", "--tune", "AP", "--step", "0.5", "--format", "csv")
    assert tuned.returncode == 0, tuned.stderr
    rows = csv_rows(tuned.stdout)
    assert list(rows[0]) == ["fold", "weights", "training_topics", "in_fold", "topics", "out_of_fold"]
    assert [row["fold"] for row in rows] == ["1", "2", "3", "4", "5", "all"]
    shown = demo("leaderboard", "t", "-m", "AP", "--format", "csv").stdout.splitlines()[1]
    assert float(shown.split(",")[2]) == pytest.approx(float(rows[-1]["out_of_fold"]))
    figures = f"AP is {float(rows[-1]['in_fold']):.4f} on the topics that the weights were chosen on"
    assert figures in tuned.stderr


def test_no_file_is_made_to_fuse_in(command: Command, tmp_path: Path) -> None:
    asked = command("fuse", "rrf", "a", "b", "--name", "c", "--db", "none.duckdb")
    assert asked.returncode == 3
    assert not (tmp_path / "none.duckdb").exists()
