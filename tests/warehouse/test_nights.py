"""A story: three systems loaded every night for thirty nights, of which one breaks on night 20."""

from __future__ import annotations

import datetime
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.evaluation.gate_decision import decide
from evalsql.evaluation.gate_rules import parse_rule
from evalsql.evaluation.selection import latest_run
from tests.conftest import Command, Outcome, csv_rows, new_file
from tests.trials import gate as trial

pytestmark = pytest.mark.long

SYSTEMS = ("bm25", "dense", "hybrid")
NIGHTS, BROKEN = 30, 20
TOPICS = [f"T{nth:02}" for nth in range(1, 21)]
LOST = ("T03", "T11", "T17")  # topics whose relevant documents are gone from the first ranks that night
RULE = "nDCG@10 drop <= 0.05"
DEPTH = 160  # enough for a file of several blocks, so that one sees it shrink
Rankings = Mapping[str, list[str]]


def judgments() -> dict[str, dict[str, int]]:
    return {
        topic: {f"{topic}-d{nth:02}": 2 if nth < 2 else 1 if nth < 6 else 0 for nth in range(20)} for topic in TOPICS
    }


def first_rankings(system: str) -> dict[str, list[str]]:
    """Relevant documents are somewhere among the first ten."""
    drawing = random.Random(system)
    rankings = {}
    for topic in TOPICS:
        head = [f"{topic}-d{nth:02}" for nth in (*range(6), *range(6, 10))]
        drawing.shuffle(head)
        rankings[topic] = head + [f"{topic}-d{nth:02}" for nth in range(10, DEPTH)]
    return rankings


def loaded_nights() -> list[dict[str, Rankings]]:
    """By night the rankings of each system: every night two neighbours change places in one topic."""
    now = {system: first_rankings(system) for system in SYSTEMS}
    nights: list[dict[str, Mapping[str, list[str]]]] = []
    for night in range(1, NIGHTS + 1):
        for nth, system in enumerate(SYSTEMS):
            ranking = now[system][TOPICS[(night + nth) % len(TOPICS)]]
            ranking[4], ranking[5] = ranking[5], ranking[4]
        shown: dict[str, dict[str, list[str]]] = {
            system: {topic: list(ranking) for topic, ranking in now[system].items()} for system in SYSTEMS
        }
        if night == BROKEN:
            for topic in LOST:
                shown["dense"][topic] = shown["dense"][topic][10:] + shown["dense"][topic][:10]
        nights.append(dict(shown))
    return nights


def name_of(system: str, night: int) -> str:
    return f"{system}-{night:02}"


def load_night(warehouse: Warehouse, night: int, shown: Mapping[str, Rankings]) -> None:
    date = datetime.date(2026, 9, 1) + datetime.timedelta(days=night)
    for system, rankings in shown.items():
        meta = {"system": system, "version": f"v{night // 10}", "date": date.isoformat(), "branch": "main"}
        # Scores as systems give them, which no two nights have in common.
        drawing = random.Random(night)
        scored = {
            topic: dict(zip(ranking, sorted((drawing.random() for _ in ranking), reverse=True), strict=True))
            for topic, ranking in rankings.items()
        }
        warehouse.load_run(scored, name_of(system, night), meta=meta)


def figures(warehouse: Warehouse) -> dict[tuple[str, str, str], float]:
    rows = warehouse.evaluate("nDCG@10 AP", per_topic=True).fetchall()
    return {(run, topic, measure): value for _, run, topic, measure, value in rows}


class Story:
    """The file after thirty nights, what the gate said of the system that broke, and the figures on the way."""

    def __init__(self, folder: Path) -> None:
        self.path = new_file(folder)
        self.nights = loaded_nights()
        self.verdicts: dict[int, bool] = {}
        with evalsql.open(self.path) as warehouse:
            warehouse.load_qrels(judgments(), "set")
            for night, shown in enumerate(self.nights, start=1):
                if night == BROKEN:
                    self.before = figures(warehouse)
                load_night(warehouse, night, shown)
                # Each decision takes a while: every fifth night, and those around the broken one.
                if night % 5 == 0 or abs(night - BROKEN) == 1:
                    self.verdicts[night] = self.decided(warehouse, name_of("dense", night))
            self.after = figures(warehouse)

    @staticmethod
    def decided(warehouse: Warehouse, run: str) -> bool:
        base = latest_run(warehouse.database, "main", run)
        assert base == name_of("dense", int(run[-2:]) - 1)
        return decide(warehouse.evaluation, run, [parse_rule(RULE)], baseline=base).passes


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("nights"))


def rows(answer: Outcome) -> list[dict[str, str]]:
    assert answer.returncode == 0, answer.stderr
    return csv_rows(answer.stdout)


def test_the_gate_stops_the_night_and_names_the_topics(story: Story, command: Command) -> None:
    assert len(story.verdicts) == 8
    assert [night for night, passes in story.verdicts.items() if not passes] == [BROKEN]
    words = ("--baseline", "latest:main", "--rule", RULE, "--db", story.path)
    answer = command("gate", name_of("dense", BROKEN), *words)
    assert answer.returncode == 1
    told = answer.stderr.partition("largest drops: ")[2].splitlines()[0]
    assert {drop.split()[1] for drop in told.split(", ")[: len(LOST)]} == set(LOST)
    assert f"{name_of('dense', BROKEN)} against {name_of('dense', BROKEN - 1)} (set)" in answer.stderr
    assert command("gate", name_of("hybrid", BROKEN), *words).returncode == 0


def test_history_shows_it(story: Story, command: Command, tmp_path: Path) -> None:
    found = rows(command("history", "dense", "-m", "nDCG@10", "--db", story.path, "--format", "csv"))
    assert [row["run"] for row in found] == [name_of("dense", night) for night in range(1, NIGHTS + 1)]
    for row in found:
        values = [story.after[row["run"], topic, "nDCG@10"] for topic in TOPICS]
        assert float(row["value"]) == pytest.approx(sum(values) / len(TOPICS), abs=1e-12)
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
    falls = {row["run"] for row in found if row["difference"] and float(row["difference"]) < -0.05}
    assert falls == {name_of("dense", BROKEN)}
    marked = [row["run"] for row in found if row["changed"] == "version"]
    assert marked == [name_of("dense", night) for night in (10, 20, 30)]
    chart = tmp_path / "dense.svg"
    assert command("history", "-o", chart, "--last", "5", "--db", story.path).returncode == 0
    assert b"<svg" in chart.read_bytes()
    with evalsql.open(story.path, read_only=True) as warehouse:
        changed = warehouse.rows("""
            select topic from changes
            where system = 'dense' and measure = 'nDCG@10' and difference < -0.2 order by topic
        """)
        assert changed == [(topic,) for topic in LOST]


def test_diff_names_the_documents(story: Story, command: Command) -> None:
    runs = (name_of("dense", BROKEN - 1), name_of("dense", BROKEN))
    words = (*runs, "-m", "nDCG@10", "--db", story.path, "--format", "csv")
    found = rows(command("diff", *words, "--most", len(LOST)))
    assert {row["topic"] for row in found} == set(LOST)
    for row in found:
        value_after, value_before = (story.after[run, row["topic"], "nDCG@10"] for run in runs[::-1])
        assert float(row["difference"]) == pytest.approx(value_after - value_before, abs=1e-12)
    documents = rows(command("diff", *words, "--most", len(LOST), "--documents"))
    grades = judgments()
    for topic in LOST:
        before, after = (list(story.nights[night - 1]["dense"][topic]) for night in (BROKEN - 1, BROKEN))
        moved = {
            document: (before.index(document) + 1, after.index(document) + 1)
            for document in before
            if before.index(document) != after.index(document)
            and min(before.index(document), after.index(document)) < 10
        }
        named = [row for row in documents if row["topic"] == topic]
        assert {row["document"]: (int(row["rank"]), int(row["other_rank"])) for row in named} == moved
        assert all(row["grade"] == str(grades[topic].get(row["document"], "")) for row in named)
        # What was lost stands on top.
        assert [row["grade"] for row in named[:6]] == ["2", "2", "1", "1", "1", "1"]


def test_drop_and_keep_shrink_the_file_and_no_figure_changes(story: Story, command: Command, tmp_path: Path) -> None:
    assert {key: story.after[key] for key in story.before} == story.before
    assert len(story.before) == len(SYSTEMS) * (BROKEN - 1) * len(TOPICS) * 2
    path = new_file(tmp_path, like=story.path)
    db = ("--db", path)
    assert command("vacuum", *db).returncode == 0
    whole = path.stat().st_size
    dropped = rows(command("drop", "runs", "--system", "bm25", "--where", "version = 'v0'", *db, "--format", "csv"))
    assert [row["name"] for row in dropped] == [name_of("bm25", night) for night in range(1, 10)]
    dry = command("keep", "--last", "10", "--dry-run", *db, "--format", "csv")
    kept = command("keep", "--last", "10", *db, "--format", "csv")
    assert rows(kept) == rows(dry)
    gone = {row["name"] for row in rows(kept)}
    assert gone == {name_of(system, night) for system in SYSTEMS for night in range(1, 21)} - {
        row["name"] for row in dropped
    }
    assert command("vacuum", *db).returncode == 0
    assert path.stat().st_size < whole
    with evalsql.open(path, read_only=True) as warehouse:
        left = figures(warehouse)
    assert left == {key: value for key, value in story.after.items() if int(key[0][-2:]) > NIGHTS - 10}
    assert len(left) == len(SYSTEMS) * 10 * len(TOPICS) * 2


def test_the_gate_is_wrong_no_more_often_than_alpha() -> None:
    found = trial.simulate(300, 60, whole=1)
    # At a chance of 0.05 more than 24 of 300 come in one of a hundred such tests.
    assert found.wrong <= 24
    assert found.right == found.drops
