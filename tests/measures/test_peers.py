"""Every measure that trec_eval has against it, on random collections, of all documents and of the judged ones only."""

import math
from collections import defaultdict

import pytest

from evalsql import Warehouse
from tests.long_cases import few_of
from tests.measures.conftest import Topics, judgment_sets
from tests.measures.topic_values import judged_only, values
from tests.oracles import peers

EXACT = 1e-9


@pytest.mark.parametrize(("level", "only"), few_of([(1, False), (2, True), (1, True), (2, False)]))
def test_measures_equal_trec_eval(random_file: Warehouse, size: str, level: int, only: bool) -> None:
    sets = judgment_sets(size)
    theirs = {qrels: peers.trec_eval(one.qrels, one.run, level, judged_only=only) for qrels, one in sets.items()}
    for whole, their_name in peers.at_level(level).items():
        if name := judged_only(whole) if only else whole:
            ours = values(random_file, name)
            expected = {
                (qrels, topic): value
                for qrels, found in theirs.items()
                for topic, value in found.get(their_name, {}).items()
            }
            assert len(expected) > 200
            assert {key: ours[key] for key in expected} == pytest.approx(expected, abs=EXACT), name


def test_topics_missing_from_the_run_score_as_an_empty_ranking(random_file: Warehouse, topics: Topics) -> None:
    missing = {key for key, one in topics.items() if not one.scores}
    assert len(missing) > 20
    for name in {*peers.BINARY, *peers.GRADED, "TAP@5"} - {"NumRel"}:
        ours = values(random_file, name)
        assert {ours[key] for key in missing} == {0.00001 if name == "GMAP" else 0.0}, name


def test_means_of_counts_are_sums_and_geometric_means_have_a_floor(random_file: Warehouse) -> None:
    counts, logarithms = defaultdict(list), defaultdict(list)
    for (qrels, _), value in values(random_file, "NumRet").items():
        counts[qrels].append(value)
    for (qrels, _), value in values(random_file, "GMAP").items():
        logarithms[qrels].append(math.log(value))
    means = random_file.evaluate("NumRet NumRelRet Hits GMAP").fetchall()
    assert {qrels: total for qrels, _, total, *_ in means} == {qrels: sum(each) for qrels, each in counts.items()}
    averages = [found / len(counts[qrels]) for qrels, _, _, found, *_ in means]
    assert [hits for *_, hits, _ in means] == pytest.approx(averages)
    assert values(random_file, "NumRet(rel=2)") == values(random_file, "NumRelRet(rel=2)")
    expected = {qrels: math.exp(sum(each) / len(each)) for qrels, each in logarithms.items()}
    assert {qrels: mean for qrels, *_, mean in means} == pytest.approx(expected, abs=EXACT)
