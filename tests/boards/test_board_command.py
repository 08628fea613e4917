"""``evalsql board`` and ``warehouse.board``: what is shown, what is left out and said, what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.evaluation.boards import board
from evalsql.report.display import board_table
from evalsql.report.table import Table
from tests.boards.made import load_figures, made, values_of
from tests.conftest import Command, assert_refused, csv_rows, module_file, write

FIGURES = made(21, 6, 6)
RUNS = {"near": 1, "far": 3}  # the rank of the one relevant document


def load_board(warehouse: Warehouse) -> None:
    """Six systems with figures of six collections, one in two versions, and one that lacks some."""
    load_figures(warehouse, {f"{name}@1": cells for name, cells in FIGURES.items()})
    load_figures(warehouse, {"s00@external": FIGURES["s00"], "odd": {"c0": 0.9, "c1": 0.9}})
    load_figures(warehouse, {"s00@1": {"c0": 0.5}, "s01@1": {"c0": 0.25}}, "ms")  # a measure that evalsql does not have


path = module_file(load_board)


def test_the_board_on_a_terminal_and_as_csv(command: Command, path: Path) -> None:
    names, means = sorted(FIGURES), values_of(FIGURES).mean(1)
    order = [names[at] for at in np.argsort(-means)]
    outcome = command("board", "--db", path, "--format", "csv")
    rows = csv_rows(outcome.stdout)
    assert [(row["system"], row["version"]) for row in rows] == [(name, "1") for name in order]
    assert [float(row["mean"]) for row in rows] == pytest.approx(sorted(means, reverse=True), abs=1e-12)
    values = [[float(row[f"c{each}"]) for each in range(6)] for row in rows]
    assert np.array(values) == pytest.approx(values_of(FIGURES)[np.argsort(-means)], abs=1e-12)
    for told in (
        "left out, 1 system lacks some of 6 collections: odd",
        "of several versions the one with most collections, then the latest: s00 1",
        "mean of nDCG@10 over collections; 95% intervals: what other collections like these 6 would give",
        f"not separated: {sum(row['separated'] == 'False' for row in rows)} of 5 neighbours, "
        f"and {sum(row['tied_first'] == 'True' for row in rows[1:])} of 5 systems from the first",
    ):
        assert told in outcome.stderr, told
    groups = [int(row["place_group"]) for row in rows]
    rules = [nth for nth in range(5) if groups[nth] != groups[nth + 1]]
    assert rules
    places = [f"{row['place']} ({row['place_low']}-{row['place_high']})" for row in rows]
    body = command("board", "--db", path, "--format", "table").stdout.splitlines()[2:]
    assert [nth for nth, line in enumerate(body) if not line.strip("\u2500")] == [
        nth + at for at, nth in enumerate(rules, start=1)
    ]
    assert [line.split("  ")[0] for line in body if line.strip("\u2500")] == places


@pytest.mark.long
def test_groups_have_a_rule_in_other_formats_too(command: Command, path: Path) -> None:
    asked = ("board", "--db", path, "--format")
    markdown, latex = (command(*asked, each).stdout.splitlines() for each in ("markdown", "latex"))
    rows = json.loads(command(*asked, "json").stdout)
    assert len(rows) == 6
    groups = [row["place_group"] for row in rows]
    rules = [nth for nth in range(5) if groups[nth] != groups[nth + 1]]
    assert markdown[3 + rules[0]].startswith("| --- | --- |")
    assert latex.count("\\midrule") == 1 + len(rules)
    first = rows[0]
    place = f"{first['place']} ({first['place_low']}-{first['place_high']})"
    assert any(line.startswith(f"{place} & {first['system']} & ") for line in latex)


@pytest.mark.long
def test_which_systems_and_collections(command: Command, path: Path, tmp_path: Path) -> None:
    asked = ("board", "--db", path, "--format", "csv")
    few = csv_rows(command(*asked, "s0[01]", "--collections", "c[0-3]", "--versions", "all").stdout)
    assert [(row["system"], row["version"]) for row in few] == [("s01", "1"), ("s00", "1"), ("s00", "external")]
    assert "c4" not in few[0]
    outcome = command(*asked, "--missing", "common")
    assert {row["num_collections"] for row in csv_rows(outcome.stdout)} == {"2"}
    assert "2 of 6 collections, those that all systems have" in outcome.stderr
    assert "2 collections: too few for intervals, which take 3" in outcome.stderr
    outcome = command("board", "--db", path, "--missing", "any")
    assert "means are over different collections: 1 system lacks some of 6: odd" in outcome.stderr
    assert outcome.stdout.splitlines()[0].endswith("num_collections")
    latex = command(*asked[:3], "--missing", "any", "--format", "latex").stdout
    assert (r" & 6 \\" in latex, r"\textbf{6}" in latex) == (True, False)  # the most collections are not the best
    only = command(*asked, "--where", "version <> 'external' and version is not null", "--sort", "c1:asc", "--limit", 2)
    by_c1 = sorted(FIGURES, key=lambda name: float(str(FIGURES[name]["c1"])))
    assert [row["system"] for row in csv_rows(only.stdout)] == by_c1[:2]
    assert "left out" not in only.stderr
    own = csv_rows(command(*asked, "-m", "ms").stdout)
    assert [(row["system"], row["mean"]) for row in own] == [("s00", "0.5"), ("s01", "0.25")]
    clusters = write(tmp_path / "clusters.csv", "collection,cluster\nc0,one\nc1,one\nc2,two\nc3,two\nc4,two\n")
    assert "like these 6 in 3 clusters would give" in command(*asked, "--clusters", clusters).stderr


@pytest.mark.long
def test_beside_a_baseline(command: Command, path: Path) -> None:
    rows = csv_rows(command("board", "--db", path, "--baseline", "s02", "--format", "csv").stdout)
    assert {row["baseline"] for row in rows} == {"s02"}
    values = dict(zip(sorted(FIGURES), values_of(FIGURES), strict=True))
    for row in rows:
        assert float(row["difference"]) == pytest.approx((values[row["system"]] - values["s02"]).mean(), abs=1e-12)
        assert int(row["wins"]) == (values[row["system"]] > values["s02"]).sum()
    shown = command("board", "--db", path, "--baseline", "s02", "--limit", 1).stdout.splitlines()
    assert "W-T-L" in shown[0]
    assert shown[2].startswith("s05")
    apart = [(float(row["low"]) > 0 or float(row["high"]) < 0) != (float(row["p_corrected"]) < 0.05) for row in rows]
    told = command("board", "--db", path, "--baseline", "s02").stderr
    assert ("interval and p are two methods" in told) == any(apart)
    latex = command("board", "--db", path, "--baseline", "s02", "--format", "latex").stdout
    assert "\\caption{measure nDCG@10, baseline s02}\n\\label{tab:board}" in latex


@pytest.mark.long
def test_what_a_pattern_finds_is_no_latex(command: Command, tmp_path: Path) -> None:
    """Names of the file may be LaTeX, and names in the warehouse never; a baseline is not needed."""
    lines = [f"{system},{name},nDCG@10,.5" for system in "ab" for name in ("c-1", r"\input{/etc/hostname}", "d")]
    write(tmp_path / "s.csv", "\n".join(["system,collection,measure,value", *lines]))
    assert command("load", "scores", "s.csv", "--db", "s.duckdb").returncode == 0
    text = 'collections = [{collection = "d", name = "$d$"}, "*"]\nmeasures = ["nDCG@10"]\nsystems = ["a", "b"]\n'
    for chosen in ("", "baseline = 'b'\n"):
        write(tmp_path / "t.toml", f"raw_names = true\n{chosen}{text}")
        made = command("table", "t.toml", "--db", "s.duckdb")
        assert made.returncode == 0, made.stderr
        assert r"\textbackslash{}input\{/etc/hostname\}" in made.stdout
        assert r"\input" not in made.stdout
        assert "$d$" in made.stdout


@pytest.mark.long
def test_a_paper_s_table_of_collections(command: Command, path: Path, tmp_path: Path) -> None:
    """Systems in the order that is given, the best in bold, daggers by scipy's paired t tests and Holm's method."""
    text = """collections = ["c3", {collection = "c0", name = "Zero"}, "c[1245]"]
measures = ["nDCG@10"]
systems = ["s04", {system = "s02", name = "Two"}, "s05"]
baseline = "Two"
digits = 3
"""
    made = command("table", write(tmp_path / "t.toml", text), "--db", path)
    values = dict(zip(sorted(FIGURES), values_of(FIGURES), strict=True))
    ps = {name: float(ttest_rel(values[name], values["s02"]).pvalue) for name in ("s04", "s05")}
    holm = {name: max(p, 2 * min(ps.values())) if p > min(ps.values()) else 2 * p for name, p in ps.items()}
    rows = [line.rstrip(" \\").split(" & ") for line in made.stdout.splitlines() if " & " in line]
    assert rows[0][:4] == ["system", "c3", "Zero", "c1"]
    assert [row[0] for row in rows[1:]] == ["s04", "Two", "s05"]
    for row, name in zip(rows[1:], ("s04", "s02", "s05"), strict=True):
        assert re.sub(r"[^.0-9]|textbf", "", row[1]) == f"{values[name][3]:.3f}"
        assert (r"$^{\dagger}$" in row[-1] and "phantom" not in row[-1]) == (holm.get(name, 1) < 0.05)
        best = max(values[each][0] for each in ("s02", "s04", "s05"))
        assert row[2].startswith(r"\textbf") == (values[name][0] == best)
        assert f"{values[name].mean():.3f}" in row[-1]
    assert "Two is the system s02." in made.stdout
    assert "p corrected by Holm for 2 tests" in made.stdout
    assert "6 would give" in made.stderr
    two = write(tmp_path / "two.toml", text.replace('"s04", ', ""))
    assert "p corrected by Holm for 1 test, alpha" in command("table", two, "--db", path).stdout
    for extra, told in (
        ("", "odd lacks a collection of the table"),
        ('test = "sign"\n', "t.toml:1: test: is for a table of one judgment set"),
    ):
        write(tmp_path / "t.toml", extra + text.replace('"s05"', '"odd"'))
        assert_refused(command("table", tmp_path / "t.toml", "--db", path), told)


def test_what_cannot_be_a_board_is_refused(command: Command, path: Path, tmp_path: Path) -> None:
    asked = ("board", "--db", path)
    assert_refused(command(*asked, "-m", "AP"), "no collection has a value by AP")
    assert_refused(command(*asked, "-m", "none"), "unknown measure")
    assert_refused(command(*asked, "-m", "nDCG@5,nDCG@10"), "a board is by one measure")
    assert_refused(command(*asked, "s1"), 'no system is called "s1"; nearest: s01')
    assert_refused(command(*asked, "--mean", "micro"), "a micro mean takes values by topic")
    assert_refused(command(*asked, "--baseline", "s0", "--versions", "all"), "a baseline is one version of a system")
    for text, told in (
        ("c0,a\nc0,b\n", ":2: expected a collection, which is there once"),
        ("", "is empty"),
        ("x,y", '"x"'),
    ):
        assert_refused(command(*asked, "--clusters", write(tmp_path / "c.csv", text)), told)
    assert_refused(command(*asked, "--clusters", tmp_path / "absent.csv"), "absent.csv: cannot be read")
    with evalsql.open(path, read_only=True) as warehouse:
        with pytest.raises(UsageError, match="a board takes no sample; there are: "):
            warehouse.board(sample=3)
        assert "c0" in repr(warehouse.board(limit=2)).splitlines()[0]
        warehouse.execute("create temp table board_values as select 1 as x")
        with pytest.raises(UsageError, match="a temporary table board_values is in the way"):
            warehouse.board()


def test_of_a_measure_of_others_less_may_be_better(empty: Warehouse) -> None:
    load_figures(empty, {name: {"x": value, "y": value} for name, value in (("slow", 85.0), ("fast", 5.5))}, "latency")
    assert [row[0] for row in empty.rows(board(empty.evaluation, measure="latency").query)] == ["slow", "fast"]
    less = board(empty.evaluation, measure="latency", lower_is_better=True)
    assert [row[0] for row in empty.rows(less.query)] == ["fast", "slow"]
    load_figures(empty, {"both": {"A": 0.5, "a": 0.6}})
    with pytest.raises(UsageError, match='collections differ in case alone: "a"'):
        board(empty.evaluation)


@pytest.mark.long
def test_what_a_board_says_of_its_values(empty: Warehouse, tmp_path: Path) -> None:
    """Of two equal runs which one stands, and which means are over fewer topics than those of others."""
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q", meta={"collection": "c"})
    for name in ("first", "second"):
        empty.load_run({"1": {"a": 1}}, name, meta={"system": "s", "version": "1", "date": "2026-01-01"})
    for name, num in (("whole", 2), ("part", 1)):
        text = f"num_q \tall\t{num}\nmap \tall\t0.5\n"
        empty.load_scores(write(tmp_path / f"{name}.txt", text), system=name, collection="c")
    notes = board(empty.evaluation, measure="AP").notes
    assert notes[:2] == [
        "c: second, which was loaded last, not first of the same version and date",
        "c: over 1 topic, those of others over 2: part",
    ]
    empty.drop_runs(["first", "part/c"])
    assert len(board(empty.evaluation, measure="AP").notes) == len(notes) - 2


@pytest.mark.long
def test_runs_stand_beside_figures(command: Command, tmp_path: Path) -> None:
    """Of two judgment sets of a collection the first is used, another where it is named; a notebook shows the same."""
    for at, name in enumerate(("a", "b", "c")):
        qrels = write(tmp_path / f"{name}.qrels", "".join(f"q{topic} 0 d{topic % 2} 1\n" for topic in range(4 + at)))
        command("load", "qrels", qrels, "--name", name)
        for system, rank in RUNS.items():
            lines = "".join(
                f"q{topic} 0 d{each} {each} {9 - each} x\n" for topic in range(6) for each in range(rank - 1, 9)
            )
            run = write(tmp_path / f"{system}.{name}.run", lines)
            command("load", "runs", run, "--system", system, "--qrels", name)
    second = write(tmp_path / "second.qrels", "q0 0 d8 1\n")
    command("load", "qrels", second, "--name", "a2", "--meta", "collection=a", "--run", "*.a")
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        load_figures(warehouse, {"theirs": {"a": 0.5, "b": 0.5, "c": 0.5}}, "RR")
    outcome = command("board", "-m", "RR", "--format", "csv")
    rows = {row["system"]: row for row in csv_rows(outcome.stdout)}
    assert {name: float(row["a"]) for name, row in rows.items()} == {"near": 0.75, "far": 0.0, "theirs": 0.5}
    assert "a: by a, not by a2; --qrels names another" in outcome.stderr
    assert "like these 3, with other topics, would give" in outcome.stderr
    assert rows["near"]["low"] < rows["near"]["mean"] < rows["near"]["high"]
    other = {
        row["system"]: row["a"]
        for row in csv_rows(command("board", "-m", "RR", "--qrels", "a2", "--format", "csv").stdout)
    }
    assert float(other["near"]) == pytest.approx(1 / 9)
    with evalsql.open(tmp_path / "evalsql.duckdb", read_only=True) as warehouse:
        shown = warehouse.board(measure="RR", mean="borda")
        assert [(name, mean) for name, mean in shown.select("system, mean").fetchall()] == [
            ("near", 1),
            ("theirs", 2),
            ("far", 3),
        ]
        assert "<td>theirs" in shown._repr_html_()
        assert "a: by a, not by a2" in repr(shown)
        assert "W-T-L" in repr(warehouse.board(measure="RR", baseline="far"))


@pytest.mark.long
def test_rules_of_a_gate_over_collections(command: Command, tmp_path: Path) -> None:
    """Versions of a system on three collections, one of which loses what the others win."""
    ranks = {"old": {"a": 2, "b": 2, "c": 1}, "new": {"a": 1, "b": 1, "c": 4}}
    for collection in "abc":
        command("load", "qrels", write(tmp_path / collection, "q1 0 d1 1\n"), "--name", collection)
        for version, of_version in ranks.items():
            lines = "".join(f"q1 0 d{each} 1 {10 - each} x\n" for each in range(2 - of_version[collection], 5))
            run = write(tmp_path / f"{version}-{collection}.run", lines)
            command("load", "runs", run, "--system", "mine", "--version", version, "--qrels", collection)
    drops = {each: 1 / ranks["old"][each] - 1 / ranks["new"][each] for each in "abc"}
    rules = {"board RR drop <= -0.08": True, "board RR drop < -0.09": False, "board RR drop <= 0 %": True}
    rules |= {"no collection RR drop > 0.75": True, "no collection RR drop > 0.7": False}
    asked = [word for rule in rules for word in ("--rule", rule)]
    outcome = command("gate", "new-a", "--baseline", "old-a", *asked, "--format", "csv")
    found = {row["rule"]: row for row in csv_rows(outcome.stdout)}
    assert {rule: found[rule]["verdict"] == "passes" for rule in rules} == rules
    values = [float(found[rule]["value"]) for rule in rules]
    mean = sum(drops.values()) / 3
    assert values == pytest.approx([mean, mean, mean / (2 / 3), drops["c"], drops["c"]], abs=1e-12)
    assert found["no collection RR drop > 0.7"]["note"] == "mean 0.6667 to 0.7500; largest drop: c"
    assert outcome.returncode == 1
    assert found["missing collections <= 0"]["verdict"] == "passes"
    assert_refused(command("gate", "new-a", "--rule", "board RR drop <= 0"), "name one with --baseline")
    command("drop", "runs", "new-c")
    asked = ["--rule", "no collection RR drop > 0.7", "--format", "csv"]
    outcome = command("gate", "new-a", "--baseline", "old-a", *asked)
    assert outcome.returncode == 1
    lacking = csv_rows(outcome.stdout)[-1]
    assert (lacking["rule"], lacking["value"], lacking["verdict"]) == ("missing collections <= 0", "1", "fails")
    assert lacking["note"] == "missing, where the baseline has values: c"
    allowing = ["--rule", "missing collections <= 1"]
    assert command("gate", "new-a", "--baseline", "old-a", *asked, *allowing).returncode == 0
    alone = command("gate", "new-a", "--baseline", "old-a", *allowing, "--format", "csv")
    assert csv_rows(alone.stdout)[-1]["note"].startswith("goes with a rule about a board")


def test_a_gate_decides_about_figures_without_judgments(command: Command, path: Path) -> None:
    ours, base_values = values_of({name: FIGURES[name] for name in ("s00", "s01")})
    less = base_values - ours
    run, base = "s00@1 on c1", "s01@1 on c1"
    asked = ["--rule", "board nDCG@10 drop <= 1", "--rule", "no collection nDCG@10 drop > 1", "--format", "csv"]
    outcome = command("gate", run, "--baseline", base, "--db", path, *asked)
    assert outcome.returncode == 0, outcome.stderr
    values = {row["rule"]: float(row["value"]) for row in csv_rows(outcome.stdout)}
    expected = {"board nDCG@10 drop <= 1": less.mean(), "no collection nDCG@10 drop > 1": less.max()}
    assert values == pytest.approx({**expected, "missing collections <= 0": 0}, abs=1e-12)
    refused = command("gate", run, "--baseline", base, "--db", path, *asked, "--rule", "nDCG@10 drop <= 1")
    assert_refused(refused, "no judgment set evaluates")


def test_the_best_of_every_collection_stands_out() -> None:
    places = ["place", "place_low", "place_high", "place_group"]
    rows = [[1, *[None] * 3, "a", None, 0.5, 0.9, 0.7, 2], [2, *[None] * 3, "b", None, 0.6, 0.1, 0.35, 2]]
    shown = board_table(
        Table([*places, "system", "version", "x", "y", "mean", "num_collections"], rows),
        3,
        collections=["x", "y"],
        lower=(),
    )
    assert shown.columns == ["place", "system", "x", "y", "mean"]
    stand_out = {(shown.rows[row][1], shown.columns[column]) for row, column in shown.best}
    assert stand_out == {("b", "x"), ("a", "y"), ("a", "mean")}
