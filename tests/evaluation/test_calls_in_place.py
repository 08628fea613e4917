"""Rankings of calls in the place of runs: what commands say of them, and what they cost."""

import re
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import Warehouse
from tests.conftest import Command, write
from tests.evaluation.test_calls import by_hand, rows_of, session


def test_rankings_of_calls_have_the_costs_of_these(empty: Warehouse) -> None:
    """ms is known of calls, tokens of topics, energy of the run; topic 2 has one call."""
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q")
    empty.load_run(rows_of({"1": [{"a": 1.0}, {"b": 1.0}], "2": [{"a": 1.0}]}), "agent", call="hop")
    empty.load_run({"1": {"a": 1.0}}, "plain")
    empty.load_costs(
        [{"run": "agent", "topic": topic, "call": call, "ms": ms} for topic, call, ms in (("1", 1, 10), ("1", 2, 30))]
        + [{"run": "agent", "topic": "1", "tokens": 9}, {"run": "agent", "topic": "2", "tokens": 7}]
        + [{"run": "agent", "topic": "2", "call": 1, "ms": 5}, {"run": "agent", "energy": 4}]
        + [{"run": "plain", "topic": "1", "ms": 1}]
    )
    of_one = {("1", "ms"): 10.0, ("2", "ms"): 5.0, ("2", "tokens"): 7.0}
    whole = {("1", "ms"): 40.0, ("2", "ms"): 5.0, ("1", "tokens"): 9.0, ("2", "tokens"): 7.0, (None, "energy"): 4.0}
    last = {("1", "ms"): 30.0, ("2", "ms"): 5.0, ("2", "tokens"): 7.0}
    expected: dict[str, dict[str, dict[Any, float]]] = {
        "first": {"agent, first call": of_one},
        "last": {"agent, last call": last},
        "best": {"agent, best ranks": whole},
        "each": {"agent, call 1": of_one, "agent, call 2": {("1", "ms"): 30.0}},
        "cumulative": {"agent, call 1": of_one, "agent, calls 1 to 2": whole},
    }
    query = "select run, topic, cost, value from steps.topic_costs union all "
    query += "select run, null, cost, whole_run from cost_summary where whole_run is not null"
    owners = "select run_id from steps.file_owners where run_id is not null"
    for kind, costs in expected.items():
        with empty.calls(kind):  # type: ignore[arg-type]
            found: dict[str, dict[Any, float]] = {}
            for run, topic, cost, value in empty.rows(query):
                found.setdefault(run, {})[topic, cost] = value
            assert {*empty.rows(owners)} == {*empty.rows("select run_id from runs")}, kind
        assert found == {**costs, "plain": {("1", "ms"): 1.0}}, kind


# A stands for a ranking of calls, or for the run that it is of.
COMMANDS = (
    "gate A --baseline plain --rule AP>=0",
    "compare plain A -m AP --format csv",
    "compare A -m AP --format latex",
    "leaderboard A plain -m AP --qrels q --format csv",
    "topics A -m AP --where true --format csv",
    "diff A plain -m AP --format csv",
    "diff A plain -m AP --documents --format csv",
    "explain A 1 -m AP --format csv",
    "history -m AP --format csv",
    "history sys --last 1 -m AP --format csv",
    "curve pr A --format csv",
    "ties -m RR --format csv",
    "holes -m P@2 --format csv",
    "table paper.toml",
    "chart differences A --baseline plain -o chart.html",
    "report A plain --baseline A -m AP -o report.tex",
    "report -m AP -o report.html",
    "site -m AP -o site",
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        ("first", COMMANDS[1:2]),
        pytest.param("first", (*COMMANDS[:1], *COMMANDS[2:]), marks=pytest.mark.long),
        pytest.param("each", COMMANDS, marks=pytest.mark.long),
    ],
)
def test_commands_say_of_calls_what_they_say_of_runs_built_by_hand(
    command: Command, tmp_path: Path, kind: str, commands: tuple[str, ...]
) -> None:
    qrels, calls = session(3)
    runs, paths = by_hand(calls, kind), []
    shown = next(iter(runs))
    for built in (False, True):
        with evalsql.open(tmp_path / f"{built}.duckdb") as warehouse:
            warehouse.load_qrels(qrels, "q")
            plain = {topic: each[0] for topic, each in calls.items()}
            warehouse.load_run(plain, "plain", meta={"date": "2026-01-01"})
            dated = {"date": "2026-01-02", "system": "sys"}
            if not built:
                warehouse.load_run(rows_of(calls), "agent", call="hop", meta=dated)
            for each, run in runs.items() if built else ():
                system = {"system": "sys" + each.removeprefix("agent") * (kind == "each")}
                warehouse.load_run(run, each, meta=dated | system)
        paths.append(warehouse.path)
    write(tmp_path / "paper.toml", f'systems = ["{shown}", "plain"]\nmeasures = ["AP"]\nbaseline = "plain"\n')
    for words in map(str.split, commands):
        said = []
        named: tuple[dict[str, str], ...] = ({"A": shown if kind == "each" else "agent"}, {"A": shown, "sys": "sys*"})
        for held, names, asked in zip(paths, named, (["--calls", kind], []), strict=True):
            done = command(*(names.get(word, word) for word in words), *asked, "--db", held)
            files = [*tmp_path.glob("chart.*"), *tmp_path.glob("report.*"), *tmp_path.glob("site/sets/**/*.html")]
            texts = {str(path): re.sub(r"\d\d:\d\d(:[\d.]+)?", "", path.read_text()) for path in files}
            said.append((done.returncode, done.stdout, texts))
            for path in files:
                path.unlink()
        assert said[0] == said[1], (words, said)
        assert said[0][1] or said[0][2]
