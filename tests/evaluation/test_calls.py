"""Several searches for one topic: rankings of calls and what is made of them, against loops and runs built by hand."""

import json
import math
import random
from itertools import chain, groupby, product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import InputError, UsageError, Warehouse
from evalsql.report import charts
from tests.conftest import Command, assert_refused, new_file, new_warehouse, write
from tests.long_cases import few_of

MEASURES = "RR R@2 nDCG Judged@2 NumRet"
Calls = dict[str, list[dict[str, float]]]  # by topic the calls in their order, each with scores of documents
ONE = {"1": [{"a": 2.0, "b": 2.0, "c": 1.0}], "2": [{"c": 1.0, "a": 0.5}]}


def session(seed: int) -> tuple[dict[str, dict[str, int]], Calls]:
    """Judgments and calls: with ties, unjudged documents, documents that several calls find, and a missing topic."""
    chance = random.Random(seed)
    names = [f"d{at}" for at in range(chance.choice((4, 9, 30)))]
    qrels, calls = {}, {}
    for topic in map(str, range(chance.randint(1, 5))):
        qrels[topic] = {each: chance.choice((-1, 0, 0, 1, 2)) for each in chance.sample(names, len(names) // 2 + 1)}
        if topic == "0" or chance.random() < 0.9:
            sizes = [chance.randint(1, len(names)) for _ in range(chance.randint(1, 4))]
            calls[topic] = [{each: float(chance.randint(0, 4)) for each in chance.sample(names, n)} for n in sizes]
    return qrels, calls


def rows_of(calls: Calls, names: Any = str, shuffled: random.Random | None = None) -> list[dict[str, Any]]:
    """The calls as rows; without a shuffle in their order."""
    rows = [
        {"qid": topic, "hop": names(at), "docno": document, "score": score}
        for topic, each in calls.items()
        for at, found in enumerate(each, start=1)
        for document, score in found.items()
    ]
    if shuffled:
        shuffled.shuffle(rows)
    return rows


def in_order(found: dict[str, float]) -> list[str]:
    """The documents of a call as the rule of trec_eval has them."""
    return sorted(found, key=lambda document: (found[document], document), reverse=True)


def united(calls: list[dict[str, float]], *, by_rank: bool = False) -> list[str]:
    places = [(rank, at) if by_rank else (at, rank) for at, each in enumerate(calls) for rank in range(len(each))]
    found = [in_order(calls[at])[rank] for at, rank in (place[::-1] if by_rank else place for place in sorted(places))]
    return list(dict.fromkeys(found))


def by_hand(calls: Calls, kind: str) -> dict[str, Any]:
    """The runs that a kind stands for: scores of one call, or the documents of several in their order."""
    most = max(map(len, calls.values()))
    if kind == "each":
        return {
            f"agent, call {at}": {topic: each[at - 1] for topic, each in calls.items() if len(each) >= at}
            for at in range(1, most + 1)
        }
    if kind == "cumulative":
        later = {
            f"agent, calls 1 to {at}": {topic: united(each[:at]) for topic, each in calls.items()}
            for at in range(2, most + 1)
        }
        return {"agent, call 1": {topic: each[0] for topic, each in calls.items()}} | later
    if kind in ("first", "last"):
        return {f"agent, {kind} call": {topic: each[-1 if kind == "last" else 0] for topic, each in calls.items()}}
    name = "agent, best ranks" if kind == "best" else "agent"
    if most == 1:
        return {name: {topic: each[0] for topic, each in calls.items()}}
    return {name: {topic: united(each, by_rank=kind == "best") for topic, each in calls.items()}}


@pytest.mark.parametrize("seed", few_of(range(20), 1))
def test_rankings_of_calls_have_the_figures_of_runs_built_by_hand(seed: int) -> None:
    qrels, calls = session(seed)
    with new_warehouse() as warehouse, new_warehouse() as other:
        warehouse.load_qrels(qrels, "q")
        other.load_qrels(qrels, "q")
        warehouse.load_run(rows_of(calls, shuffled=random.Random(seed)), "agent", call="hop")
        for kind in ("union", "first", "last", "each", "cumulative", "best"):
            for name, run in by_hand(calls, kind).items():
                other.load_run(run, name, replace=True)
            with warehouse.calls(kind):
                found = warehouse.evaluate(MEASURES, per_topic=True).fetchall()
                assert warehouse.rows("select run, topic, rank, document from rankings order by all") == other.rows(
                    "select run, topic, rank, document from rankings order by all"
                )
            expected = other.evaluate(MEASURES, per_topic=True).fetchall()
            assert [row[:-1] for row in found] == [row[:-1] for row in expected], kind
            assert [value for *_, value in found] == pytest.approx([value for *_, value in expected], abs=1e-12)
            other.drop_runs("*")
        assert warehouse.rows("select run from runs") == [("agent",)]


@pytest.mark.parametrize("seed", few_of(range(4)))
def test_sessions_have_the_figures_of_a_loop(seed: int) -> None:
    qrels, calls = session(seed)
    with new_warehouse() as warehouse:
        warehouse.load_qrels(qrels, "q")
        warehouse.load_run(rows_of(calls), "agent", call="hop")
        named = ("SessionDCG@2", "SessionDCG(repeats=true)", "nSessionDCG", "nSessionDCG@2", "CallRR", "WastedCalls")
        values = {
            (topic, name): value for _, _, topic, name, value in warehouse.evaluate(named, per_topic=True).fetchall()
        }
        gains = warehouse.rows(
            "select topic, call, relevant, new_relevant, found, new_gain from call_gains order by all"
        )
        for topic, judged in qrels.items():
            each = [in_order(found) for found in calls.get(topic, [])]
            relevant = [[name for name in ranking if judged.get(name, 0) >= 1] for ranking in each]
            new = [[name for name in found if name not in chain(*relevant[:at])] for at, found in enumerate(relevant)]
            expected = {
                "SessionDCG@2": session_dcg(judged, each, 2, repeats=False),
                "SessionDCG(repeats=true)": session_dcg(judged, each, None, repeats=True),
                "CallRR": next((1 / at for at, found in enumerate(relevant, start=1) if found), 0),
                "WastedCalls": sum(not found for found in new),
            }
            for k, name in ((None, "nSessionDCG"), (2, "nSessionDCG@2")):
                best = ideal(judged, k)
                expected[name] = session_dcg(judged, each, k, repeats=False) / best if best else 0
            assert {name: values[topic, name] for name in expected} == pytest.approx(expected, abs=1e-12)
            assert [row[1:] for row in gains if row[0] == topic] == [
                (at, len(found), len(added), sum(map(len, new[:at])), sum(judged[name] for name in added))
                for at, (found, added) in enumerate(zip(relevant, new, strict=True), start=1)
            ]


def session_dcg(judged: dict[str, int], calls: list[list[str]], k: int | None, *, repeats: bool) -> float:
    total, seen = 0.0, set[str]()
    for call, ranking in enumerate(calls, start=1):
        for rank, document in enumerate(ranking, start=1):
            if (k is None or rank <= k) and (repeats or document not in seen):
                total += max(judged.get(document, 0), 0) / (1 + math.log(rank, 2)) / (1 + math.log(call, 4))
        seen.update(ranking)
    return total


def ideal(judged: dict[str, int], k: int | None) -> float:
    """By all places that there could be."""
    gains = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
    grid = product(range(1, len(gains) + 1), range(1, min(k or len(gains), len(gains)) + 1))
    worth = sorted((1 / (1 + math.log(rank, 2)) / (1 + math.log(call, 4)) for call, rank in grid), reverse=True)
    return sum(gain * each for gain, each in zip(gains, worth, strict=False))


def cube_test(grades: dict[str, dict[str, int]], calls: list[list[str]], gamma: float, most: float) -> float:
    """Document by document, each subtopic with what it holds and how many documents it has."""
    held, count, seen = dict.fromkeys(grades, 0.0), dict.fromkeys(grades, 0), set[str]()
    for document in chain(*calls):
        for subtopic, judged in grades.items():
            if document not in seen and judged.get(document, 0) > 0 and held[subtopic] < most:
                count[subtopic] += 1
                held[subtopic] += min(gamma ** count[subtopic] * judged[document], most - held[subtopic])
        seen.add(document)
    return sum(held.values()) / most / len(grades) / len(calls)


@pytest.mark.parametrize("seed", range(3))
def test_subtopics_are_filled_as_a_loop_fills_them(empty: Warehouse, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = [f"d{at}" for at in range(9)]
    grades = {
        topic: {f"s{at}": {name: chance.randint(1, 9) for name in chance.sample(names, 4)} for at in range(3)}
        for topic in "123"
    }
    lines = [f"{t} {s} {name} {grade}" for t in grades for s, of in grades[t].items() for name, grade in of.items()]
    calls = {
        topic: [{name: chance.random() for name in chance.sample([*names, "x", "y"], 4)} for _ in range(length)]
        for topic, length in (("1", 5), ("2", 1))
    }
    empty.load_qrels(write(tmp_path / "groups.txt", "\n".join(lines) + "\n"), "q", form="groups")
    empty.load_run(rows_of(calls), "agent", call="hop")
    for k, gamma, most in ((None, 0.5, 5), (2, 0.5, 5), (9, 0.9, 11)):
        name = f"CubeTest(gamma={gamma},max_height={most})" + (f"@{k}" if k else "")
        found = {topic: value for *_, topic, _, value in empty.evaluate(name, per_topic=True).fetchall()}
        expected = {t: cube_test(grades[t], list(map(in_order, each))[:k], gamma, most) for t, each in calls.items()}
        assert found == pytest.approx(expected | {"3": 0})


@pytest.mark.long
def test_an_agent_whose_first_search_finds_nothing_has_no_recall_at_one(command: Command, tmp_path: Path) -> None:
    """The scores of two searches are of different scales: sorted together, the second would come first."""
    found = [("1", 1, "x", 9), ("1", 1, "y", 8), ("1", 2, "right", 30), ("1", 2, "x", 20), ("2", 1, "right", 3)]
    rows = [dict(zip(("qid", "hop", "docno", "score"), each, strict=True)) for each in found]
    run = write(tmp_path / "agent.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    with evalsql.open(new_file(tmp_path)) as warehouse:
        warehouse.load_qrels({"1": {"right": 1}, "2": {"right": 1}}, "q")
    path = ("--db", warehouse.path)
    assert_refused(command("load", "runs", run, *path), "hop looks like calls", "--call hop", "--call none")
    loaded = command("load", "runs", run, "--call", "hop", *path)
    told = (
        "3 calls of 2 topics, at most 2 of a topic, in the order of their numbers; figures at cutoffs up to 2 are of "
    )
    assert f"{told}the first call alone" in loaded.stderr
    union, first = (
        command("leaderboard", "-m", "R@2,R@3", "--calls", kind, *path).stdout.split() for kind in ("union", "first")
    )
    assert (union[-2] == first[-2], union[-1] == first[-1]) == (True, False)
    each = command("leaderboard", "-m", "R@1", "--calls", "each", "--format", "csv", *path)
    assert each.stdout.splitlines()[1:] == ['q,"agent, call 1",0.5', 'q,"agent, call 2",0.5']
    assert "agent, call 2 misses 1 of 2 topics" in each.stderr
    with evalsql.open(warehouse.path) as warehouse:
        assert warehouse.evaluate("R@1 RR CallRR").fetchall() == [("q", "agent", 0.5, pytest.approx(2 / 3), 0.75)]
        explained = warehouse.explain("agent", "1", measure="RR").rows
        shown = [(row[0], row[1], row[-1]) for row in explained.fetchall()]
        assert shown == [(1, "x", 1), (2, "y", 1), (3, "right", 2)]
        warehouse.load_runs(run, name="flat", call="none", keep_best=True)
        assert ("q", "flat", 1.0) in warehouse.evaluate("R@1").fetchall()


def test_with_one_call_all_is_as_without(empty: Warehouse) -> None:
    empty.load_qrels({"1": {"b": 1, "a": 0}, "2": {"a": 2}}, "q")
    empty.load_run({topic: each[0] for topic, each in ONE.items()}, "plain")
    empty.load_run(rows_of(ONE), "agent", call="hop")
    held = (
        "select rank, tied_above, first_rank, document_id, score from retrieved join runs using (run_id) where run = ?"
    )
    assert empty.rows(held, ["agent"]) == empty.rows(held, ["plain"])
    ranked = "select topic_id, rank, tied_above, tied_below, judged_rank, relevant_rank, grade, document_id"
    ranked += (
        " from judged_ranks join evaluations using (evaluation_id) join runs using (run_id) where run = ? order by all"
    )
    assert empty.rows(ranked, ["agent"]) == empty.rows(ranked, ["plain"])
    values = empty.evaluate("AP nDCG SessionDCG", per_topic=True).fetchall()
    by_run = [[row[2:] for row in values if row[1] == run] for run in ("agent", "plain")]
    assert by_run[0] == by_run[1]
    with empty.calls("cumulative", "agent"):
        found = empty.evaluate("AP nDCG SessionDCG", per_topic=True).fetchall()
        assert [row[1:] for row in found] == [("agent, call 1", *row) for row in by_run[1]]


def test_calls_are_in_order_of_their_numbers_or_as_they_first_stand(empty: Warehouse, tmp_path: Path) -> None:
    orders = {"10 9 2": ["2", "9", "10"], "2.5 -1 1e0": ["-1", "1e0", "2.5"], "how 2 why": ["how", "2", "why"]}
    for given, expected in orders.items():
        rows = [{"qid": "1", "docno": f"d{at}", "score": at, "hop": name} for at, name in enumerate(given.split())]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        for source in (rows, write(tmp_path / "z.jsonl", lines)):
            load: Any = empty.load_run if source is rows else empty.load_runs
            load(source, name="z", call="hop", replace=True)
            names = empty.rows("select call, call_name from call_rankings order by call")
            assert names == list(enumerate(expected, start=1))


def test_what_is_wrong_with_calls_is_told(empty: Warehouse, tmp_path: Path) -> None:
    again = ":4: CSV: document a of topic 1, call 1, already stands at line 2"
    cases = {
        "qid,docno,score,hop\n1,a,1,1\n1,a,1,2\n1,a,3,1\n": again,
        "qid,docno,score,hop\n1,a,1,1\n1,b,1,\n": ":3: CSV: call is missing",
        "qid,docno,score,turn\n1,a,1,1\n": "there is no column hop for the call",
        "qid,docno,evalue,hop\n1,a,1,1\n1,b,1,2\n": "a table of E-values is one search",
        "1 Q0 a 1 2 t\n": "columns are named for a file with a header",
    }
    for text, told in cases.items():
        with pytest.raises((InputError, UsageError)) as refused:
            empty.load_runs(write(tmp_path / "r", text), call="hop")
        assert told in str(refused.value)
    empty.load_run({"1": {"a": 1.0}}, "plain")
    with pytest.raises(UsageError, match="none of these runs has calls"), empty.calls("each"):
        pass
    repeated = [{"qid": "1", "docno": "a", "score": at, "hop": at % 2} for at in range(4)]
    with pytest.raises(InputError, match="document a of topic 1, call 0, stands more than once"):
        empty.load_run(repeated, "agent", call="hop")
    empty.load_run(repeated, "agent", call="hop", keep_best=True)
    assert empty.rows("select duplicates from runs where run = 'agent'") == [(2,)]
    assert empty.rows("select call, score from call_ranks") == [(1, 2.0), (2, 3.0)]


def test_depth_and_judged_documents_are_of_each_call(empty: Warehouse) -> None:
    empty.load_qrels({"1": {"a": 1, "c": 0}}, "q")
    calls = {"1": [{"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 3.0, "d": 2.0, "c": 1.0}]}
    for how, expected in (({"depth": 2}, ["a", "b", "d"]), ({"judged_by": "q"}, ["a", "c"])):
        empty.load_run(rows_of(calls), "agent", call="hop", replace=True, **how)
        assert [row[0] for row in empty.rows("select document from rankings order by rank")] == expected


@pytest.mark.long
def test_calls_go_where_their_runs_go(command: Command, tmp_path: Path) -> None:
    qrels, calls = session(1)
    path = new_file(tmp_path)
    held = "select topic, call, call_name, rank, document, score from call_rankings where run = 'agent' order by all"
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(qrels, "q")
        warehouse.load_run(rows_of(calls, lambda at: f"step {at}"), "agent", call="hop")
        expected = warehouse.rows(held)
    assert command("check", "--db", path).returncode == 0
    assert command("export", "warehouse", tmp_path / "all", "--db", path).returncode == 0
    assert command("import", tmp_path / "all", "--db", tmp_path / "new.duckdb").returncode == 0
    for name in ("agent.jsonl", "agent.parquet"):
        written = command("export", "runs", "agent", "-o", tmp_path / name, "--db", path)
        assert "--call call" in written.stderr, written
    told = command("export", "runs", "agent", "-o", tmp_path / "agent.run", "--db", path).stderr
    assert "the one ranking that is made of the calls" in told
    with evalsql.open(tmp_path / "new.duckdb") as warehouse:
        assert warehouse.rows(held) == expected
        for name in ("agent.jsonl", "agent.parquet"):
            warehouse.load_runs(tmp_path / name, call="call", replace=True)
            assert warehouse.rows(held) == expected
        warehouse.drop_runs("agent")
        assert warehouse.rows("select * from call_ranks") == []


def test_runs_are_compared_by_calls(empty: Warehouse) -> None:
    """What is asked of runs is asked of calls, with nothing of its own."""
    qrels, calls = session(3)
    empty.load_qrels(qrels, "q")
    empty.load_run(rows_of(calls), "agent", call="hop")
    empty.load_run({topic: each[0] for topic, each in calls.items()}, "plain")
    with empty.calls("first"):
        (row,) = empty.compare("plain", "agent", measures="AP").fetchall()
        assert 0.0 in row
    recalls = dict(empty.rows("select call, recall from call_recall where run = 'agent'"))
    with empty.calls("cumulative", "agent"):
        by_hand = {int(run.split()[-1]): value for _, run, value in empty.evaluate("R").fetchall()}
    assert recalls == pytest.approx(by_hand)
    assert charts.drawing(empty, "calls", "AP").specification["data"]["values"][0]["call"] == 1
    means = empty.rows("select call, num_topics, new_relevant from call_means where run = 'agent' order by call")
    gains = empty.rows("select call, new_relevant from call_gains where run = 'agent' order by call")
    for (call, count, mean), (_, rows) in zip(means, groupby(gains, itemgetter(0)), strict=True):
        added = [number for _, number in rows]
        assert (count, mean) == (len(added), pytest.approx(sum(added) / len(added))), call
