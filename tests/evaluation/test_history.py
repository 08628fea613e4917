"""``evalsql history`` and ``diff`` beside plain loops; what changed between runs is marked."""

import re
import statistics
from pathlib import Path

import pytest
from scipy import stats

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.evaluation.listings import topic_changes_query
from tests.conftest import Command, assert_refused, csv_rows, module_file, new_file

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"d": 1}}
# Ranks of the first relevant document: 1 1 1, then 2 1 0, then 1 1 2.
NIGHTS = [
    {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "3": {"d": 1.0}},
    {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}, "3": {"x": 1.0}},
    {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "3": {"x": 2.0, "d": 1.0}},
]
VALUES = [(1, 1, 1), (0.5, 1, 0), (1, 1, 0.5)]
VERSIONS = ["v1", "v2", "v2"]


def fill(warehouse: Warehouse) -> None:
    warehouse.load_qrels(JUDGED, "set")
    warehouse.load_run(NIGHTS[0], "no system")
    # Loaded in another order than that of their dates.
    for night in (2, 0, 1):
        meta = {"system": "s", "version": VERSIONS[night], "date": f"2026-10-0{night + 1}"}
        warehouse.load_run(NIGHTS[night], f"n{night}", meta=meta)


path = module_file(fill)


def test_history_is_means_intervals_and_differences(path: Path, command: Command) -> None:
    answer = command("history", "s", "-m", "RR,NumRelRet", "--db", path, "--format", "csv")
    assert answer.returncode == 0, answer.stderr
    found = [row for row in csv_rows(answer.stdout) if row["measure"] == "RR"]
    assert [row["run"] for row in found] == ["n0", "n1", "n2"]
    means = [statistics.mean(values) for values in VALUES]
    assert [float(row["value"]) for row in found] == pytest.approx(means)
    assert [row["difference"] != "" for row in found] == [False, True, True]
    assert [float(row["difference"]) for row in found[1:]] == pytest.approx([means[1] - means[0], means[2] - means[1]])
    for row, values in zip(found[1:], VALUES[1:], strict=True):
        low, high = stats.t.interval(0.95, 2, statistics.mean(values), statistics.stdev(values) / 3**0.5)
        assert float(row["low"]) == pytest.approx(max(low, 0))
        assert float(row["high"]) == pytest.approx(min(high, 1))
    assert [row["changed"] for row in found] == ["", "version", ""]
    counts = [row for row in csv_rows(answer.stdout) if row["measure"] == "NumRelRet"]
    # A sum has no interval.
    assert [(float(row["value"]), row["low"]) for row in counts] == [(3, ""), (2, ""), (3, "")]
    with evalsql.open(path, read_only=True) as warehouse:
        direct = warehouse.rows("select run, value, low, high from history where measure = 'RR' order by dated_at")
        library = warehouse.history("RR", last=2).fetchall()
    assert [(run, str(value)) for run, value, *_ in direct] == [(row["run"], row["value"]) for row in found]
    assert [row[3] for row in library] == ["n1", "n2"]


@pytest.mark.long
def test_runs_are_compared_with_the_one_before_also_where_it_is_not_shown(path: Path, command: Command) -> None:
    asked = ("history", "s", "-m", "RR,NumRelRet", "--db", path, "--format", "csv")
    last = [row for row in csv_rows(command(*asked).stdout) if row["run"] == "n2"]
    assert last
    for option in (("--last", "1"), ("--since", "2026-10-03")):
        assert csv_rows(command(*asked, *option).stdout) == last


@pytest.mark.long
def test_measures_are_drawn_in_the_order_in_which_they_were_asked_for(
    path: Path, tmp_path: Path, command: Command
) -> None:
    for measures in (["RR", "AP"], ["AP", "RR"]):
        assert command("history", "s", "-m", ",".join(measures), "--db", path, "-o", "h.svg").returncode == 0
        assert re.findall(">(RR|AP)<", (tmp_path / "h.svg").read_text()) == measures


@pytest.mark.long
def test_replaced_judgments_and_other_sql_are_marked(path: Path, tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path, like=path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(JUDGED | {"4": {"e": 1}}, "set", replace=True)
        # As if they had been replaced between the first two nights, and the last figure had come from elsewhere.
        warehouse.execute("update qrels set replaced_at = '2026-10-01 12:00:00' where qrels = 'set@1'")
        warehouse.execute("""
            insert into stored_scores
            select qrels_id, run_id, topic_id, 'RR', 1.0, '0.1', 'other'
            from evaluations join qrels using (qrels_id) join runs using (run_id)
            where qrels = 'set' and run = 'n2'
        """)
    answer = command("history", "-m", "RR", "--db", path, "--format", "csv")
    assert [row["changed"] for row in csv_rows(answer.stdout)] == ["", "judgments, version", "sql"]
    assert {row["qrels"] for row in csv_rows(answer.stdout)} == {"set"}
    assert "sql in the column changed marks where" in answer.stderr
    assert "judgments were replaced meanwhile" in answer.stderr
    both = command("history", "-m", "RR", "--qrels", "set", "--qrels", "set@1", "--db", path, "--format", "csv")
    assert {row["qrels"] for row in csv_rows(both.stdout)} == {"set", "set@1"}
    assert "figures by 2 judgment sets" in both.stderr
    chart = command("history", "--qrels", "set", "--qrels", "set@1", "--db", path, "-o", "x.svg")
    assert_refused(chart, "a chart is of one judgment set")


@pytest.mark.long
def test_missing_topics_are_marked_and_told(path: Path, tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path, like=path)
    with evalsql.open(path) as warehouse:
        for name, date, topics in (("n3", "04", "12"), ("n4", "05", "12"), ("n5", "06", "123")):
            night = {topic: NIGHTS[2][topic] for topic in topics}
            warehouse.load_run(night, name, meta={"system": "s", "version": "v2", "date": f"2026-10-{date}"})
    answer = command("history", "-m", "RR", "--db", path, "--format", "csv")
    changed = {row["run"]: row["changed"] for row in csv_rows(answer.stdout)}
    assert [changed[f"n{night}"] for night in range(2, 6)] == ["", "missing topics", "", "missing topics"]
    for words in (("history", "-m", "RR"), ("diff", "n4", "n2", "-m", "RR")):
        told = command(*words, "--db", path).stderr
        assert "n4 misses 1 of 3 topics (set)" in told
        assert ("n3" in told) == (words[0] == "history")


def test_a_history_without_systems_says_what_to_do(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(JUDGED, "set")
        warehouse.load_run(NIGHTS[0], "run")
    assert_refused(command("history", "--db", path), "evalsql load runs FILE --system NAME --version TEXT records both")
    assert command("history", "-o", "x.txt", "--db", path).returncode == 2


def test_changes_are_topics_that_differ_from_the_run_before(path: Path) -> None:
    with evalsql.open(path, read_only=True) as warehouse:
        found = warehouse.rows("""
            select run_before, run, topic, value_before, value, difference from changes
            where measure = 'RR' order by run, topic
        """)
    expected = [
        (f"n{night - 1}", f"n{night}", str(topic + 1), before, after, after - before)
        for night in (1, 2)
        for topic, (before, after) in enumerate(zip(VALUES[night - 1], VALUES[night], strict=True))
        if before != after
    ]
    assert found == expected


def test_diff_lists_topics_and_documents(path: Path, command: Command) -> None:
    words = ("diff", "n0", "n1", "-m", "RR", "--db", path, "--format", "csv")
    found = csv_rows(command(*words).stdout)
    assert [(row["topic"], float(row["difference"])) for row in found] == [("3", 1), ("1", 0.5)]
    for pair, topics in ((("n0", "n1"), []), (("n1", "n0"), ["3", "1"])):
        losses = command("diff", *pair, *words[3:], "--losses")
        assert [row["topic"] for row in csv_rows(losses.stdout)] == topics
    documents = csv_rows(command(*words, "--documents").stdout)
    assert [tuple(row.values())[1:] for row in documents] == [
        ("3", "d", "1", "1", ""),
        ("3", "x", "", "", "1"),
        ("1", "a", "1", "1", "2"),
        ("1", "b", "0", "2", "1"),
    ]
    for option in ("--limit", "--most"):  # the second is what it was called
        assert [row["topic"] for row in csv_rows(command(*words, "--documents", option, "1").stdout)] == ["3", "3"]
    first = csv_rows(command(*words, "--documents", "--topic", "1", "--depth", "1").stdout)
    assert [(row["topic"], row["document"]) for row in first] == [("1", "a"), ("1", "b")]
    same = command("diff", "n0", "no system", *words[3:])
    assert (same.returncode, csv_rows(same.stdout)) == (0, [])
    for pair, complaint in ((("n0", "n0"), "compared with itself"), (("n0", "n9"), 'no run is called "n9"')):
        assert_refused(command("diff", *pair, "--db", path), complaint)


def test_runs_that_no_judgments_have_in_common_are_refused(empty: Warehouse) -> None:
    for name, run in (("first", "a"), ("second", "b")):
        empty.load_qrels(JUDGED, name)
        empty.load_run(NIGHTS[0], run, qrels=name)
    with pytest.raises(UsageError, match="no judgment set evaluates both a and b; evalsql load qrels FILE --run NAME"):
        topic_changes_query(empty.evaluation, "a", "b", "RR")


@pytest.mark.long
def test_the_chart_of_a_history(path: Path, command: Command, tmp_path: Path) -> None:
    drawn, other = tmp_path / "history.html", tmp_path / "chart.html"
    assert command("history", "-m", "RR", "-o", drawn, "--db", path).returncode == 0
    assert command("chart", "history", "--system", "s", "-m", "RR", "-o", other, "--db", path).returncode == 0
    assert b"vegaEmbed" in drawn.read_bytes() == other.read_bytes()
