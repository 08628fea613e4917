"""What runs cost beside what they find: plain loops, numpy's quantiles, scipy's tests, a brute-force Pareto front."""

import json
import random
import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy
import pytest
from scipy import stats

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.catalog.measure_names import with_arguments
from evalsql.errors import InputWarning
from evalsql.evaluation.gate_rules import parse_rule
from evalsql.evaluation.listings import groups_query
from evalsql.report.charts import drawing
from evalsql.report.page.report_data import gather_report
from tests.conftest import Command, assert_refused, csv_rows, module_file, module_warehouse, new_file
from tests.evaluation.test_gate import judge
from tests.long_cases import few_of

DRAWN = random.Random(43)
TOPICS = [f"t{at}" for at in range(20)]
RUNS = [f"r{at}" for at in range(9)]
RANKS = {run: {topic: DRAWN.randint(1, 4) for topic in TOPICS} for run in RUNS}
RANKS["r8"] = RANKS["r1"]
# Of r3 some topics have none, r4 has calls, r5 none but one of the whole run, r6 none; r8 is r1 again.
COSTS = {run: {topic: float(DRAWN.randint(0, 400)) for topic in TOPICS} for run in RUNS if run not in ("r5", "r6")}
COSTS["r8"] = COSTS["r1"]
COSTS["r3"] = {topic: value for topic, value in COSTS["r3"].items() if topic not in ("t4", "t11", "t12")}
COST = "Cost(name='latency_ms')"
LACKING = "  latency_ms of r3 is not known for 3 of 20 topics (q): t11, t12, t4"


def load_runs(warehouse: Warehouse) -> None:
    warehouse.load_qrels({topic: {"d": 1} for topic in TOPICS}, "q")
    for run, ranks in RANKS.items():
        warehouse.load_run(
            {topic: {f"d{at}" if at != rank else "d": -at for at in range(1, 5)} for topic, rank in ranks.items()}, run
        )


def load(warehouse: Warehouse) -> None:
    load_runs(warehouse)
    rows: list[dict[str, Any]] = [
        {"run": run, "topic": topic, "latency_ms": value} for run in COSTS for topic, value in COSTS[run].items()
    ]
    halves = [
        {**row, "latency_ms": row["latency_ms"] / 2, "call": call}
        for row in rows
        if row["run"] == "r4"
        for call in (1, 2)
    ]
    warehouse.load_costs([row for row in rows if row["run"] != "r4"] + halves + [{"run": "r5", "latency_ms": 7.0}])


made = module_warehouse(load)
made_file = module_file(load)


def quality(run: str) -> float:
    return fmean(1 / rank for rank in RANKS[run].values())


def test_summaries_are_those_of_numpy(made: Warehouse) -> None:
    columns = "run, mean, median, p95, total, whole_run, num_topics, missing"
    found = {run: rest for run, *rest in made.rows(f"select {columns} from cost_summary")}
    assert found.keys() == {*COSTS, "r5"}
    assert found["r5"] == [None, None, None, 7, 7, 0, sorted(TOPICS)]
    made.execute("set variable only_runs = ['r0', 'r3']")
    assert {run for (run,) in made.rows("select run from cost")} == {"r0", "r3"}
    made.execute("reset variable only_runs")
    for run, costs in COSTS.items():
        values = [*costs.values()]
        expected = [fmean(values), *numpy.percentile(values, [50, 95]), sum(values)]
        assert found[run][:4] == pytest.approx(expected), run
        assert found[run][4:] == [None, len(costs), sorted(set(TOPICS) - costs.keys()) or None]


def test_paired_tests_are_over_the_topics_that_both_have(made: Warehouse) -> None:
    query = made.evaluation.comparison_query("r0", measures=COST)
    rows = {each.run: each for each in made.database.records(query)}
    assert rows.keys() == COSTS.keys() - {"r0"}
    for run, row in rows.items():
        both = sorted(COSTS["r0"].keys() & COSTS[run].keys())
        mine, base = ([COSTS[each][topic] for topic in both] for each in (run, "r0"))
        assert (row.num_topics, row.difference) == (len(both), pytest.approx(fmean(mine) - fmean(base)))
        assert row.p == pytest.approx(stats.ttest_rel(mine, base).pvalue)


@pytest.mark.parametrize("statistic", few_of(["mean", "p95", "median"], 1))
def test_the_front_is_that_of_brute_force(made: Warehouse, statistic: str) -> None:
    percent = {"median": 50, "p95": 95}.get(statistic)
    points = {
        run: (quality(run), fmean(costs) if percent is None else float(numpy.percentile(costs, percent)))
        for run, costs in ((run, [*COSTS[run].values()]) for run in COSTS)
    }
    given = {"quality_measure": "RR", "cost_measure": COST, "statistic": statistic}
    call = with_arguments(made.catalog, "pareto_front", **given).call
    named = made.evaluation.named(["RR", COST])
    with made.evaluation.with_scores(named):
        rows = made.rows(
            f"select run, quality, cost, cost_low is null, on_front, coalesce(dominated_by, []) from {call}"
        )
    assert {run: (quality, cost) for run, quality, cost, *_ in rows} == {
        run: pytest.approx(at) for run, at in points.items()
    }
    for run, _, _, without, on_front, by in rows:
        good, cheap = points[run]
        beats = {other for other, at in points.items() if at[0] >= good - 1e-12 and at[1] <= cheap + 1e-12}
        beats -= {
            other for other in beats if abs(points[other][0] - good) < 1e-12 and abs(points[other][1] - cheap) < 1e-12
        }
        assert (set(by), on_front, without) == (beats, not beats, statistic != "mean"), run
    assert 0 < sum(on_front for *_, on_front, _ in rows) < len(rows)
    # Asked in SQL, where the view scores has no costs, also by the name of the cost alone.
    asked = f"pareto_front(quality_measure := 'RR', cost_measure := '{{}}', statistic := '{statistic}')"
    names = [made.rows(f"from {asked.format(name)} order by all") for name in ("latency_ms", COST.replace("'", "''"))]
    assert names[0] == names[1]
    assert len(names[0]) == len(rows)


@pytest.mark.long
def test_a_leaderboard_shows_costs_and_names_what_has_none(command: Command, made_file: Path) -> None:
    printed = command(
        "leaderboard", "-m", "RR", "--cost", "latency_ms", "--pareto", "--db", made_file, "--format", "csv"
    )
    rows = {row["run"]: row for row in csv_rows(printed.stdout)}
    assert list(rows["r0"])[2:] == [
        "RR",
        *(f"latency_ms {each}" for each in ("mean", "median", "p95", "total")),
        "dominated by",
    ]
    for run, costs in COSTS.items():
        assert float(rows[run]["latency_ms mean"]) == pytest.approx(fmean(costs.values()))
        assert rows[run]["dominated by"]
    assert rows["r6"]["latency_ms mean"] == rows["r6"]["dominated by"] == ""
    assert rows["r5"]["latency_ms total"] == "7.0"
    lines = [
        LACKING,
        "  latency_ms of r5 is known for the whole run alone (q)",
        "  latency_ms is not known of 1 run: r6",
    ]
    assert set(lines) < set(printed.stderr.splitlines())
    board = command("leaderboard", "-m", COST, "--db", made_file, "--format", "csv")
    means = [float(row[COST]) for row in csv_rows(board.stdout) if row[COST]]
    assert means == sorted(means)  # less is better
    compared = command("compare", "r0", "r3", "-m", COST, "--db", made_file)
    assert LACKING in compared.stderr
    for options, complaint in (
        (("--cost", "tokens"), "no cost is called tokens; there are: latency_ms"),
        (("--pareto",), "--pareto takes one --cost, found 0"),
        (
            ("--by", "language", "--cost", "latency_ms", "--pareto"),
            "--pareto is by means over all topics, --by is of groups of them; leave one out",
        ),
        (("-m", "ESL", "--pareto", "--cost", "latency_ms"), "of ESL less is better; name a measure of quality first"),
    ):
        assert_refused(command("leaderboard", *options, "--db", made_file), complaint)
    explained = command("explain", "r0", "t1", "-m", COST, "--db", made_file)
    assert_refused(explained, "is a number that was loaded: no document contributes to it")


@pytest.mark.long
def test_rules_of_a_gate_read_costs(made: Warehouse, command: Command, made_file: Path, tmp_path: Path) -> None:
    r0, r3 = COSTS["r0"], COSTS["r3"]
    both = sorted(r0.keys() & r3.keys())
    rules = (
        "mean(latency_ms) <= 1000",
        "p95(latency_ms) <= 1",
        "median(latency_ms) rise <= 0",
        "p95(latency_ms) rise <= 9%",
    )
    found = judge(made, "r3", *rules, baseline="r0")
    values = [found[rule].value for rule in rules]
    before, after = ([costs[topic] for topic in both] for costs in (r0, r3))
    p95s = [numpy.percentile(each, 95) for each in (before, after)]
    expected = [fmean(r3.values()), numpy.percentile([*r3.values()], 95), numpy.median(after) - numpy.median(before)]
    assert values == pytest.approx([*expected, (p95s[1] - p95s[0]) / p95s[0]])
    assert [found[rule].passes for rule in rules[:2]] == [True, False]
    rule = "total(latency_ms) <= 1e4"
    assert judge(made, "r4", rule)[rule].value == pytest.approx(sum(COSTS["r4"].values()))
    without = judge(made, "r3", rule)[rule]
    reason = "such a number is known neither for the run nor for every topic"
    assert (without.value, without.passes, without.note) == (None, False, reason)
    assert judge(made, "r3", "RR rise <= 1", baseline="r0")["RR rise <= 1"].note.startswith("more of RR is better")
    assert not judge(made, "r6", "p95(latency_ms) <= 1000")["p95(latency_ms) <= 1000"].passes
    with pytest.raises(UsageError, match="is not understood"):
        parse_rule("p95(latency_ms) not worse at p < 0.05")
    figures = tmp_path / "figures.json"
    asked = (
        "gate",
        "r3",
        "--db",
        made_file,
        "--rule",
        "RR drop <= 0.5",
        "--rule",
        "mean(latency_ms) rise <= 0",
        "--baseline",
        figures,
    )
    assert command(*asked[:-2], "--update-baseline", figures).returncode == 0
    assert len(json.loads(figures.read_text())["measures"][COST]) == 17
    again = command(*asked)
    assert (again.returncode, LACKING.strip() in again.stderr) == (0, True)


@pytest.mark.long
def test_charts_reports_and_sites_show_costs(
    made: Warehouse, command: Command, made_file: Path, tmp_path: Path
) -> None:
    chart = drawing(made, "pareto", ["RR", COST])
    assert {*chart.rows.values("run")} == {*COSTS}
    assert LACKING in chart.notes
    with pytest.raises(UsageError, match="the chart pareto has what is better where it is more, then a cost"):
        drawing(made, "pareto", [COST, "RR"])
    assert command("report", "-m", "RR", "-o", "report.json", "--db", made_file).returncode == 0
    told = {row["run"]: row["num_topics"] for row in json.loads((tmp_path / "report.json").read_text())["costs"]}
    assert told == {run: len(costs) for run, costs in COSTS.items()} | {"r5": 0}
    with pytest.warns(InputWarning, match="is not known of r5, r6; left out, as a report has every measure"):
        assert {*gather_report(made, COST).runs} == {*COSTS}


@pytest.mark.long
def test_a_site_shows_costs(command: Command, made_file: Path, tmp_path: Path) -> None:
    copy = shutil.copy(made_file, tmp_path / "copy.duckdb")
    assert command("site", "-m", "RR", "-o", "site", "--db", copy).returncode == 0
    assert "Who wins by Cost" in (tmp_path / "site" / "measures" / "cost.html").read_text()
    shown = ["Cost(name" in (tmp_path / "site" / "systems" / f"{run}.html").read_text() for run in ("r0", "r6")]
    assert shown == [True, False]


@pytest.mark.long
def test_costs_of_whole_runs_have_a_front_and_rules(command: Command, tmp_path: Path) -> None:
    money = {"r0": 3.0, "r1": 2.0, "r2": 2.5, "r3": 9.0, "r4": 1.0}
    with evalsql.open(new_file(tmp_path)) as warehouse:
        load_runs(warehouse)
        warehouse.load_costs([{"run": run, "money": value} for run, value in money.items()])
        rows = warehouse.rows(
            "select run, cost, cost_high, num_topics, on_front, coalesce(dominated_by, []) "
            "from pareto_front(quality_measure := 'RR', cost_measure := 'money')"
        )
        for run, cost, high, num_topics, on_front, by in rows:
            beats = {each for each in money if quality(each) >= quality(run) and money[each] <= money[run]} - {run}
            assert (cost, high, num_topics, on_front, {*by}) == (money[run], None, 0, not beats, beats)
        assert {run for run, *_ in rows} == {*money}
        drawn = drawing(warehouse, "pareto", ["RR", "Cost(name=money)"]).specification["encoding"]
        assert [drawn[axis]["title"] for axis in ("x", "y")] == ["money of the whole run", "RR"]
        rules = ("total(money) <= 2.2", "total(money) rise <= 10%", "mean(money) <= 5")
        found = judge(warehouse, "r2", *rules, baseline="r1")
        assert [found[rule].value for rule in rules] == [2.5, pytest.approx(0.25), None]
        assert not any(found[rule].passes for rule in rules)
        assert found[rules[2]].note == "no topic has such a number of the run; total(money) is that of the whole run"
        with pytest.raises(UsageError, match="a total is of all topics"):
            parse_rule("total(money) <= 2 for language = de")
    shown = command("leaderboard", "-m", "RR", "--cost", "money", "--pareto", "--format", "csv", "--db", warehouse.path)
    front = {row["run"]: row["dominated by"] for row in csv_rows(shown.stdout)}
    assert {run for run, by in front.items() if by == "nobody"} == {run for run, *_, on_front, _ in rows if on_front}
    assert "money is known of whole runs alone: who is outdone goes by their totals" in shown.stderr


@pytest.mark.long
def test_costs_by_group_are_those_of_its_topics(empty: Warehouse) -> None:
    """Two groups, and topics that are in none."""
    load(empty)
    groups = {topic: "de" if at % 3 else "en" for at, topic in enumerate(TOPICS) if at < 15}
    empty.load_topics({topic: {"language": group} for topic, group in groups.items()})
    asked = groups_query(empty.evaluation, "language", "RR", costs=["latency_ms"])
    for _, group, run, _, _, *found in empty.rows(asked):
        values = [value for topic, value in COSTS.get(run, {}).items() if groups.get(topic) == group]
        expected = [fmean(values), *numpy.percentile(values, [50, 95]), sum(values)] if values else [None] * 4
        assert found == pytest.approx(expected), (group, run)
