"""Nuggets and the answers that hold them: loading both, what is refused, and the scores by a plain loop."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from tests.conftest import FIXTURES, Command, csv_rows, write
from tests.long_cases import few_of, one_in, refusals

CASE = FIXTURES / "nuggets"
SCORES = {"StrictVitalScore", "VitalScore", "StrictAllScore", "AllScore", "StrictWeightedScore", "WeightedScore"}
ASSIGNMENTS = ("support", "partial_support", "not_support")
Nuggets = dict[str, list[dict[str, str]]]
Answers = dict[tuple[str, str], list[str]]


def made(seed: int, topics: int = 60) -> tuple[Nuggets, Answers]:
    """Random nuggets by topic, and of most topics the assignments of three runs in their order."""
    dice = random.Random(seed)
    nuggets = {
        f"t{at}": [
            {"nugget": f"n{nth}", "text": f"fact {nth} of {at}", "importance": dice.choice(("vital", "okay"))}
            for nth in range(dice.randint(1, 9))
        ]
        for at in range(topics)
    }
    answers = {
        (f"run {nth}", topic): dice.choices(ASSIGNMENTS, k=len(listed))
        for nth in range(3)
        for topic, listed in nuggets.items()
        if dice.random() < 0.9
    }
    return nuggets, answers


def scores(nuggets: list[dict[str, str]], assigned: list[str]) -> dict[str, float]:
    """What an answer scores, nugget by nugget; without an answer nothing is assigned."""
    pairs = list(zip([each["importance"] for each in nuggets], assigned or ["not_support"] * len(nuggets), strict=True))

    def share(weights: dict[str, float], partly: float) -> float:
        credit = {"support": 1.0, "partial_support": partly, "not_support": 0.0}
        held = sum(weights[importance] * credit[assignment] for importance, assignment in pairs)
        whole = sum(weights[importance] for importance, _ in pairs)
        return held / whole if whole else 0.0

    found = {}
    for name, okay in (("Vital", 0.0), ("All", 1.0), ("Weighted", 0.5)):
        found[f"{name}Score"] = share({"vital": 1.0, "okay": okay}, 0.5)
        found[f"Strict{name}Score"] = share({"vital": 1.0, "okay": okay}, 0.0)
    return found


def files(folder: Path, nuggets: Nuggets, answers: Answers, *, form: str) -> tuple[Any, Any]:
    """Both as nuggetizer writes them, as tables, or as rows in memory."""
    if form == "nuggetizer":
        bare = {
            topic: [{k: each[k] for k in ("text", "importance")} for each in listed]
            for topic, listed in nuggets.items()
        }
        judged = [{"query": "?", "qid": topic, "nuggets": listed} for topic, listed in bare.items()]
        of_runs = [
            {
                **{"query": "?", "qid": topic, "answer_text": "...", "response_length": 3, "run_id": run},
                "nuggets": [{**each, "assignment": said} for each, said in zip(bare[topic], assigned, strict=True)],
            }
            for (run, topic), assigned in answers.items()
        ]
    else:
        judged = [{"topic": topic, **each} for topic, listed in nuggets.items() for each in listed]
        of_runs = [
            {"run": run, "topic": topic, "nugget": each["nugget" if at % 2 else "text"], "assignment": said}
            for (run, topic), assigned in answers.items()
            for at, (each, said) in enumerate(zip(nuggets[topic], assigned, strict=True))
        ]
    if form == "memory":
        return judged, of_runs
    if form == "csv":
        texts = [
            "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
            for rows in (judged, of_runs)
        ]
    else:
        texts = ["\n".join(map(json.dumps, rows)) for rows in (judged, of_runs)]
    suffix = "csv" if form == "csv" else "jsonl"
    return write(folder / f"nuggets.{suffix}", texts[0]), write(folder / f"assigned.{suffix}", texts[1])


@pytest.mark.parametrize("form", few_of(["nuggetizer", "csv", "jsonl", "memory"], 1))
def test_scores_equal_a_plain_loop_whatever_the_files_are(tmp_path: Path, empty: Warehouse, form: str) -> None:
    nuggets, answers = made(7)
    judged, assigned = files(tmp_path, nuggets, answers, form=form)
    empty.load_qrels(judged, "n", form="nuggets")
    loaded = empty.load_assignments(assigned)
    assert (loaded.qrels, loaded.runs, loaded.num_answers) == ("n", ["run 0", "run 1", "run 2"], len(answers))
    found = {
        (run, topic, measure): value
        for _, run, topic, measure, value in empty.evaluate(",".join(SCORES), per_topic=True).fetchall()
    }
    expected = {
        (run, topic, measure): value
        for run in loaded.runs
        for topic, listed in nuggets.items()
        for measure, value in scores(listed, answers.get((run, topic), [])).items()
    }
    assert found == pytest.approx(expected, abs=1e-12)
    means = {run: value for _, run, value in empty.evaluate("vital_score").fetchall()}
    for run in loaded.runs:
        own = [value for (each, _, measure), value in expected.items() if each == run and measure == "VitalScore"]
        assert means[run] == pytest.approx(sum(own) / len(nuggets), abs=1e-12)
    missing = {run: count for _, run, _, count, _ in empty.coverage().fetchall()}
    assert missing == {run: sum((run, topic) not in answers for topic in nuggets) for run in loaded.runs}
    assert findings(empty.evaluation, audits(empty.catalog)) == []


@pytest.fixture
def held(empty: Warehouse) -> Warehouse:
    empty.load_qrels(CASE / "nuggets.jsonl", form="nuggets")
    empty.load_assignments(CASE / "runs" / "system.jsonl")
    return empty


@pytest.mark.parametrize(("text", "told"), one_in(3, refusals(__file__, "assignments")))
def test_an_answer_that_is_not_assigned_every_nugget_is_refused(
    tmp_path: Path, held: Warehouse, text: str, told: str
) -> None:
    before = held.rows("select * from nugget_assignments")
    with pytest.raises(InputError, match=rf"a\.txt:?{told}" if told[0].isdigit() else told):
        held.load_assignments(write(tmp_path / "a.txt", text))
    assert held.rows("select run from runs") == [("system",)]
    assert held.rows("select * from nugget_assignments") == before


@pytest.mark.parametrize(("rows", "told"), one_in(3, refusals(__file__, "citations")))
def test_a_citation_without_a_judgment_is_refused(tmp_path: Path, held: Warehouse, rows: str, told: str) -> None:
    text = "topic,sentence,document,support\n" + rows
    with pytest.raises(InputError, match=rf"r\.csv:{told}"):
        held.load_citations(write(tmp_path / "r.csv", text))
    assert held.rows("select * from answer_citations") == []


def documents_of(cited: Sequence[int]) -> list[tuple[str | None, int | None]]:
    return [(f"d{nth}", support) for nth, support in enumerate(cited)] or [(None, None)]


def test_figures_of_citations_equal_a_plain_loop(held: Warehouse) -> None:
    dice = random.Random(3)
    answers = {
        topic: [[dice.randint(0, 2) for _ in range(dice.randint(0, 3))] for _ in range(dice.randint(1, 5))]
        for topic in ("q1", "q2")
    }
    rows = [
        {"topic": topic, "sentence": at, "document": document, "support": support}
        for topic, sentences in answers.items()
        for at, cited in enumerate(sentences)
        for document, support in documents_of(cited)
    ]
    held.load_citations(rows, name="system")
    found = {
        (measure, topic): value
        for _, _, topic, measure, value in held.evaluate(
            "weighted_precision weighted_recall", per_topic=True
        ).fetchall()
    }
    for topic in ("q1", "q2", "q3"):
        sentences = answers.get(topic, [])
        supports = [support / 2 for cited in sentences for support in cited]
        best = [max(cited, default=0) / 2 for cited in sentences]
        assert found["CitationPrecision", topic] == (sum(supports) / len(supports) if supports else 0), topic
        assert found["CitationRecall", topic] == pytest.approx(sum(best) / len(best) if best else 0), topic
    assert findings(held.evaluation, audits(held.catalog)) == []
    # A run with citations alone has no scores of nuggets.
    held.load_citations(rows, name="other")
    boards = {run: values for _, run, *values in held.evaluate("CitationRecall VitalScore").fetchall()}
    assert (boards["other"][0], boards["other"][1]) == (boards["system"][0], None)
    held.execute("set variable only_runs = ['other']")
    assert held.rows("select run from citation_recall() union select run from vital_score()") == [("other",)]
    held.execute("reset variable only_runs")
    assert held.rows("select run, missing_topics from coverage order by run") == [("other", 1), ("system", 1)]
    with pytest.raises(UsageError, match="already loaded: citations of other"):
        held.load_citations(rows, name="other")
    held.drop_runs("other")
    assert held.rows("select count(distinct run_id) from answer_citations") == [(1,)]


def test_citations_of_the_tracks_own_example(held: Warehouse, tmp_path: Path) -> None:
    """Thakur et al. 2025, section 3.4: in part, in full, without a citation; by its labels, and as pandas writes it."""
    files = {
        "labels": "q1,1,p1,PS\nq1,2,p2,FS\nq1,3,,\n",
        "numbers": "q1,1,p1,1.0\nq1,2,p2,2.0\nq1,3,,\n",
        "words": "q1,1,p1,partial_support\nq1,2,p2,full_support\nq1,3,,\n",
    }
    for name, rows in files.items():
        held.load_citations(write(tmp_path / f"{name}.csv", "topic,sentence,document,support\n" + rows))
    frame = pandas.read_csv(tmp_path / "numbers.csv")
    frame.to_parquet(tmp_path / "file.parquet")
    held.load_citations(frame, name="frame")
    held.load_citations(tmp_path / "file.parquet")
    values = "select run, topic, value from citation_{}() where topic = 'q1' order by run"
    for measure, value in (("precision", 0.75), ("recall", 0.5)):
        expected = [(run, "q1", value) for run in sorted([*files, "frame", "file"])]
        assert [row for row in held.rows(values.format(measure)) if row[0] != "system"] == expected
    held.load_citations(frame, name="system")  # whose assignments say which topics it answers
    missing = "select run, missing_topics from coverage where run in ('frame', 'system') order by run"
    assert held.rows(missing) == [("frame", 2), ("system", 1)]
    nameless = write(tmp_path / "r.csv", "run,topic,sentence,document,support\na,q1,1,p1,2\n,q1,2,p1,2\n")
    with pytest.raises(InputError, match=r"r\.csv:3: CSV: run is missing, and other rows name theirs"):
        held.load_citations(nameless)


def test_rankings_have_no_scores_of_answers_and_answers_none_of_rankings(held: Warehouse) -> None:
    held.load_qrels({"q1": {"a": 1}}, "documents")
    held.load_run({"q1": {"a": 1.0}}, "ranking")
    sets = {(qrels, run) for qrels, run, *_ in held.evaluate("AP,VitalScore").fetchall()}
    assert sets == {("documents", "ranking"), ("nuggets", "system")}
    assert held.rows("select distinct qrels from summary") == [("documents",)]
    with pytest.raises(UsageError, match="nuggets holds nuggets, which no ranking has"):
        held.load_run({"q1": {"a": 1.0}}, "other", qrels="nuggets")
    with pytest.raises(UsageError, match="and documents holds none; evalsql load qrels FILE --form nuggets"):
        held.load_assignments(CASE / "runs" / "system.jsonl", qrels="documents")
    # A system may have both; what its rankings replace says that the answers go.
    held.load_assignments(CASE / "runs" / "system.jsonl", name="ranking")
    assert held.rows("select run, count(*) from coverage group by run order by run") == [("ranking", 2), ("system", 1)]
    with pytest.warns(InputWarning, match="the assignments and citations of ranking went with what is replaced"):
        held.load_run({"q1": {"a": 1.0}}, "ranking", qrels="documents", replace=True)
    assert held.rows("select distinct run from answers") == [("system",)]


@pytest.mark.long
def test_assignments_are_replaced_and_dropped_and_equal_nuggets_keep_them(tmp_path: Path, held: Warehouse) -> None:
    path = CASE / "runs" / "system.jsonl"
    before = held.evaluate(",".join(SCORES)).fetchall()
    with pytest.raises(UsageError, match="already loaded: assignments of system"):
        held.load_assignments(path)
    held.load_assignments(path, replace=True)
    held.load_qrels(CASE / "nuggets.jsonl", form="nuggets", replace=True)
    assert held.evaluate(",".join(SCORES)).fetchall() == before
    text = (CASE / "nuggets.jsonl").read_text().replace('"okay"', '"vital"')
    held.load_qrels(write(tmp_path / "nuggets.jsonl", text), form="nuggets", replace=True)
    assert held.evaluate("VitalScore").fetchall() == []
    assert held.evaluate(",".join(SCORES), qrels="nuggets@1").fetchall() == [("nuggets@1", *row[1:]) for row in before]
    assert findings(held.evaluation, audits(held.catalog)) == []
    with pytest.warns(InputWarning, match="assignments or citations of 1 run went with"):
        held.drop_qrels("nuggets@1")
    held.drop_qrels("nuggets")
    tables = ("runs", "qrels", "nuggets", "nugget_assignments", "answer_citations", "topics", "files")
    assert [held.rows(f"select count(*) from {table}") for table in tables] == [[(0,)]] * len(tables)


@pytest.mark.long
def test_commands_take_scores_of_answers_as_all_others(command: Command, tmp_path: Path) -> None:
    other = (CASE / "runs" / "system.jsonl").read_text().replace("system", "other").replace("partial_", "not_")
    write(tmp_path / "other.jsonl", other)
    command("load", "qrels", str(CASE / "nuggets.jsonl"), "--form", "nuggets")
    done = command("load", "assignments", str(CASE / "runs" / "system.jsonl"), "other.jsonl", "--system", "rag")
    assert "loaded answers to nuggets: 2 runs, 4 answers with 14 assignments" in done.stderr
    board = command("leaderboard", "--format", "csv")
    assert [row["run"] for row in csv_rows(board.stdout)] == ["system", "other"]
    assert "system misses 1 of 3 topics (nuggets)" in board.stderr
    compared = csv_rows(command("compare", "other", "system", "-m", "all_score", "--format", "csv").stdout)
    assert [(row["measure"], row["wins"], row["ties"]) for row in compared] == [("AllScore", "1", "2")]
    rules = ("--rule", "VitalScore >= 0.2", "--rule", "VitalScore drop <= 0")
    assert command("gate", "system", "--baseline", "other", *rules, "--rule", "missing topics <= 1").returncode == 0
    refused = command("gate", "system", "--baseline", "other", *rules)
    assert (refused.returncode, "missing: q3" in refused.stdout) == (1, True)
    history = csv_rows(command("history", "-m", "VitalScore", "--format", "csv").stdout)
    assert {row["run"]: row["value"] for row in history} == {"other": str(0.5 / 3), "system": "0.25"}
    boards = csv_rows(command("board", "-m", "VitalScore", "--format", "csv").stdout)
    assert [row["nuggets"] for row in boards] == ["0.25"]  # of the run that was loaded last
    assert command("report", "-o", "report.html").returncode == 0
    page = (tmp_path / "report.html").read_text()
    assert "StrictVitalScore" in page
    with evalsql.open(tmp_path / "evalsql.duckdb", read_only=True) as warehouse:
        warehouse.report(output=tmp_path / "python.html")
    assert "StrictVitalScore" in (tmp_path / "python.html").read_text()
    assert not any(words in page for words in ('id="precision-recall"', "by the rule unknown"))  # of rankings alone
    assert "VitalScore is of answers" in command("explain", "system", "q1", "-m", "VitalScore").stderr
    differing = command("diff", "system", "other", "--format", "csv")
    assert [row["measure"] for row in csv_rows(differing.stdout)] == ["VitalScore"]
    assert "--documents" not in differing.stderr
    assert {row["measure"] for row in csv_rows(command("history", "--format", "csv").stdout)} == {"VitalScore"}
    assert command("export", "qrels", "-o", "again.jsonl").returncode == 0
    again = command("load", "qrels", "again.jsonl", "--form", "nuggets", "--name", "again")
    assert "loaded judgments again: 8 nuggets of 3 topics" in again.stderr


@pytest.mark.long
def test_a_site_and_an_archive_have_nuggets(held: Warehouse, command: Command, tmp_path: Path) -> None:
    held.export(tmp_path / "archive")
    assert command("import", "archive", "--db", "copy.duckdb").returncode == 0
    assert command("site", "-o", "site", "--db", "copy.duckdb", "-m", "VitalScore").returncode == 0
    for file in ("copy.duckdb", "site/warehouse.duckdb"):
        if (tmp_path / file).exists():
            with evalsql.open(tmp_path / file, read_only=True) as copy:
                assert copy.evaluate("VitalScore").fetchall() == [("nuggets", "system", 0.25)]
