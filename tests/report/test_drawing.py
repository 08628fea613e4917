"""Which systems a chart draws, in which colours and at which size; and the figures of those beside the report's."""

import itertools
import json
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import UsageError
from evalsql.literals import rows_query
from evalsql.report.charts import COLOURS, DASHES, LONGEST_NAME, Chart, cut, drawing, styles
from evalsql.report.table import Table
from tests.conftest import Command, csv_rows, module_file, module_warehouse, new_warehouse
from tests.long_cases import few_of
from tests.random_collections import load_together


def load(warehouse: evalsql.Warehouse, count: int) -> None:
    """Load so many runs, of which those that come later are worse."""
    warehouse.load_qrels({f"t{at}": {"d0": 1, "d1": 1} for at in range(3)}, "q")
    runs = {}
    for number in range(count):
        found = {f"x{at}": float(1000 - at) for at in range(number)} | {"d0": 500.0, "d1": 499.0, "y": 1.0}
        runs[f"r{number:02}"] = {f"t{at}": found for at in range(3)}
    load_together(warehouse, runs, qrels="q")


forty = module_warehouse(lambda warehouse: load(warehouse, 40))


def dicts(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def drawn(table: Table) -> list[str]:
    return sorted({row["run"] for row in dicts(table)})


def named(svg: Path, pattern: str) -> set[str]:
    """Names that a chart shows."""
    return set(re.findall(f">({pattern})<", svg.read_text()))


@pytest.mark.long
@pytest.mark.parametrize("name", few_of(["pr", "slope", "roc", "tap", "unjudged"]))
def test_no_more_than_eight_lines_unless_asked(forty: evalsql.Warehouse, name: str) -> None:
    few = drawing(forty, name, "AP RR")
    assert drawn(few.rows) == [f"r{number:02}" for number in range(8)]
    assert few.notes == ["8 of 40 systems are drawn, the best by AP; --lines 40 draws all"]
    every = drawing(forty, name, "AP RR", lines=40)
    assert (len(drawn(every.rows)), every.notes) == (40, [])
    asked = [f"r{number:02}" for number in range(20, 30)]
    assert drawn(drawing(forty, name, "AP RR", runs=asked).rows) == asked
    assert drawn(drawing(forty, name, "AP RR", runs=["r1*"]).rows) == [f"r{number:02}" for number in range(10, 18)]
    without_lines = {"pr": "leaderboard", "slope": "topics"}.get(name, "distribution")
    assert len(drawn(drawing(forty, without_lines, "AP").rows)) == 40


def load_ten(warehouse: evalsql.Warehouse) -> None:
    """Ten runs, and ten systems of two runs each, of which another half is better in the first and in the second."""
    warehouse.load_qrels({"t": {"d": 1}}, "nights")
    for number in range(10):
        for version, place in (("01", 9 - number), ("02", number)):
            found = {f"x{at}": float(100 - at) for at in range(place)} | {"d": 50.0}
            meta = {"system": f"s{number}", "date": f"2026-{version}-01"}
            warehouse.load_run({"t": found}, f"s{number}-{version}", qrels="nights", meta=meta)
    load(warehouse, 10)


ten = module_file(load_ten)


@pytest.mark.long
def test_curves_draw_eight_and_print_all(ten: Path, tmp_path: Path, command: Command) -> None:
    asked = ("curve", "pr", "--qrels", "q", "--db", ten, "--format", "csv", "--chart")
    done = command(*asked, "few.svg")
    assert done.returncode == 0, done.stderr
    assert len({row["run"] for row in csv_rows(done.stdout)}) == 10
    assert "8 of 10 systems are drawn, the best by AP; --lines 10 draws all" in done.stderr
    assert named(tmp_path / "few.svg", r"r\d\d") == {f"r{at:02}" for at in range(8)}
    done = command(*asked, "all.svg", "--lines", "10")
    assert "are drawn" not in done.stderr
    assert len(named(tmp_path / "all.svg", r"r\d\d")) == 10


@pytest.mark.long
@pytest.mark.parametrize("words", few_of([("chart", "history"), ("history",)], 1, one_value=True))
def test_histories_draw_the_eight_best_systems(ten: Path, tmp_path: Path, command: Command, words: list[str]) -> None:
    done = command(*words, "-m", "RR", "--qrels", "nights", "--db", ten, "-o", "few.svg")
    assert done.returncode == 0, done.stderr
    assert "8 of 10 systems are drawn, the best by RR" in done.stderr
    assert named(tmp_path / "few.svg", r"s\d") == {f"s{at}" for at in range(8)}
    # The legend shows every colour as it is, not as pale as the areas.
    symbol = r'role-legend-symbol"[^>]*><path[^>]*fill="(#\w+)" stroke="\1"[^>]*opacity="1"'
    assert {*COLOURS} <= {*re.findall(symbol, (tmp_path / "few.svg").read_text())}


def test_systems_have_their_places_by_their_latest_runs(empty: evalsql.Warehouse) -> None:
    rows = [
        ("falling", "a", "2026-01-01", "AP", 0.9),
        ("falling", "b", "2026-01-02", "AP", 0.1),
        ("falling", "b", "2026-01-02", "RR", 1.0),
        ("steady", "c", "2026-01-01", "AP", 0.5),
        ("on one day", "e", "2026-01-01", "AP", 0.7),
        ("on one day", "d", "2026-01-01", "AP", 0.2),
        ("as good", "f", "2026-01-03", "AP", 0.5),
        ("without", "g", "2026-01-03", "RR", 1.0),
    ]
    shown = {"shown_history": rows_query("system, run, dated_at, measure, value", rows)}
    for less, order in (
        (False, ["on one day", "as good", "steady", "falling"]),
        (True, ["falling", "as good", "steady", "on one day"]),
    ):
        query = empty.database.query("system_places", shown, measure="AP", less_is_better=less)
        assert empty.database.column(f"select system from ({query}) order by place") == order


@pytest.mark.long
def test_a_system_keeps_its_colour(sample: evalsql.Warehouse) -> None:
    known = styles(sample)
    found: dict[str, set[str]] = {}
    for name, runs in itertools.product(("pr", "roc", "unjudged", "leaderboard", "slope"), ((), ("dense", "tfidf"))):
        table = drawing(sample, name, "AP RR", runs=runs).rows
        spec = json.dumps(Chart(name, table, styles=known).specification)
        for scale in re.findall(
            r'"color": \{[^{}]*?"scale": (\{[^{}]*\})', re.sub(r'"(axis|legend)": \{[^{}]*\}, ', "", spec)
        ):
            colours = json.loads(scale)
            for run, colour in zip(colours["domain"], colours["range"], strict=True):
                found.setdefault(run, set()).add(colour)
    assert {run: known[run].colour for run in found} == {run: colour for run, (colour,) in found.items()}
    assert len(found) == 8 == len({colour for (colour,) in found.values()})


@pytest.mark.long
def test_colours_and_dashes_tell_32_systems_apart(forty: evalsql.Warehouse) -> None:
    known, seen = styles(forty), list[dict[str, str]]()
    numbers = [known[f"r{number:02}"] for number in range(32)]
    assert [style.colour for style in numbers] == [*COLOURS] * 4
    assert [style.dashes for style in numbers] == [dashes for dashes in DASHES for _ in range(8)]
    # Dashes stay, in the legend too.
    table = drawing(forty, "pr", "AP", runs=["r00", "r08"]).rows
    encoding = Chart("pr", table, styles=known).specification["encoding"]
    assert encoding["color"]["scale"]["range"] == [COLOURS[0], COLOURS[1]]  # each its own, while there are any
    assert encoding["strokeDash"]["scale"]["range"] == [[*DASHES[0]], [*DASHES[1]]]
    assert "strokeDash" not in Chart("leaderboard", table, styles=known).specification["encoding"]
    runs = [f"r{number:02}" for number in (3, 11, 4, 19, 27, 12, 0, 8)]
    for name in ("pr", "leaderboard"):
        drawn_here = Chart(name, drawing(forty, name, "AP", runs=runs).rows, styles=known)
        scale = drawn_here.specification["encoding"]["color"]["scale"]
        found = dict(zip(scale["domain"], scale["range"], strict=True))
        assert sorted(found.values()) == sorted(COLOURS)
        assert [found[run] for run in ("r00", "r03", "r04")] == [COLOURS[0], COLOURS[3], COLOURS[4]]
        seen.append(found)
    assert seen[0] == seen[1]


def test_runs_of_a_system_share_its_colour(empty: evalsql.Warehouse) -> None:
    for name, system in (("a1", "a"), ("b", None), ("a2", "a")):
        empty.load_run({"t": {"d": 1.0}}, name, meta={"system": system} if system else None)
    known = styles(empty)
    assert known["a"] == known["a1"] == (COLOURS[0], DASHES[0], "a")
    assert known["a2"] == (COLOURS[0], DASHES[1], "a")
    assert known["b"] == (COLOURS[1], DASHES[0], "b")
    spec = Chart("pr", Table(("run",), [("b",), ("a2",), ("a1",)]), styles=known).specification
    assert spec["encoding"]["color"]["scale"]["range"] == [COLOURS[1], COLOURS[0], COLOURS[0]]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_are_seen_on_white() -> None:
    assert len(set(COLOURS)) == 8
    assert min(1.05 / (luminance(colour) + 0.05) for colour in COLOURS) >= 2.99


def test_intervals_of_the_leaderboard(sample: evalsql.Warehouse) -> None:
    scipy = pytest.importorskip("scipy.stats")
    table = drawing(sample, "leaderboard", "AP").rows
    means = []
    for each in dicts(table):
        values = [value for (value,) in sample.rows("select value from ap where run = ?", [each["run"]])]
        mean = statistics.fmean(values)
        half = scipy.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5
        assert [each["value"], each["low"], each["high"]] == pytest.approx([mean, mean - half, mean + half])
        means.append(mean)
    assert means == sorted(means, reverse=True)
    assert [each["place"] for each in dicts(table)] == [*range(1, 9)]


def test_a_mean_without_an_interval_is_drawn_alone(sample: evalsql.Warehouse) -> None:
    found = drawing(sample, "leaderboard", "NumRet")
    assert len(found.rows.rows) == 8
    assert found.notes == ["NumRet: its mean has no interval by Student's t, so none is drawn"]


def test_places_by_two_measures(sample: evalsql.Warehouse) -> None:
    rows = dicts(drawing(sample, "slope", "AP ESL").rows)
    for measure, relation, sign in (("AP", "ap", -1), ("ESL", "esl", 1)):  # of ESL less is better
        query = f"select run, {sign} * round(avg(value), 9) from {relation} group by run"
        means = dict(sample.rows(query))
        places = {each["run"]: each["place"] for each in rows if each["measure"] == measure}
        assert places == {run: 1 + sum(other < mean for other in means.values()) for run, mean in means.items()}
        assert sorted(each["position"] for each in rows if each["measure"] == measure) == [*range(1, 9)]
    assert len({*places.values()}) < 8  # systems with equal means share a place, and are drawn below each other


@pytest.mark.long
@pytest.mark.parametrize("measure", few_of(["AP", "NumRel", "P@10"]))
def test_bins_hold_every_topic_once(sample: evalsql.Warehouse, measure: str) -> None:
    bins = dicts(drawing(sample, "histogram", measure, runs="dense", baseline="bm25").rows)
    values: dict[str, dict[str, float]] = {"bm25": {}, "dense": {}}
    for _, run, topic, _, value in sample.evaluate(measure, per_topic=True, runs=[*values]).fetchall():
        values[run][topic] = value
    differences = [value - values["bm25"][topic] for topic, value in values["dense"].items()]
    counted = Counter(
        next(at for at, each in enumerate(bins) if each["bin_low"] - 1e-9 <= one < each["bin_high"] - 1e-9)
        for one in differences
    )
    assert [each["num_topics"] for each in bins] == [counted[at] for at in range(len(bins))]
    assert len(bins) <= 18
    assert sum(each["is_first"] for each in bins) == 1
    compared = sample.compare("bm25", "dense", measures=measure).project("low, high").fetchall()
    for each in bins:
        assert [(each["low"], each["high"])] == compared
        # No difference is the middle of a bin.
        middle = (each["bin_low"] + each["bin_high"]) / 2 / (each["bin_high"] - each["bin_low"])
        assert middle == pytest.approx(round(middle), abs=1e-6)
        assert each["difference"] == pytest.approx(statistics.fmean(differences))


def test_points_of_two_systems(sample: evalsql.Warehouse) -> None:
    found = drawing(sample, "scatter", "AP", runs="dense", baseline="bm25")
    points = [(each["topic"], each["value"], each["baseline_value"]) for each in dicts(found.rows)]
    assert sorted(points) == sample.rows("""select topic, a.value, b.value from ap a join ap b using (qrels, topic)
        where a.run = 'dense' and b.run = 'bm25' order by topic""")
    spec = found.specification
    encoding = spec["layer"][1]["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("bm25", "dense")
    assert spec["title"]["text"] == "Two systems by topic: AP, dense and bm25"
    # The baseline may be a glob of one run.
    assert drawing(sample, "scatter", "AP", runs="dense", baseline="bm2?") == found
    with pytest.raises(UsageError, match=r'"\*" stands for \d+ runs: .*; name one'):
        drawing(sample, "scatter", "AP", runs="dense", baseline="*")


@pytest.mark.long
def test_long_names_are_cut_in_the_middle() -> None:
    name = f"{'a' * 30}-{'b' * 30}"
    with new_warehouse() as warehouse:
        load(warehouse, 2)
        warehouse.load_run({f"t{at}": {"d0": 1.0} for at in range(3)}, name)
        for chart in ("pr", "leaderboard", "topics", "slope"):
            svg = drawing(warehouse, chart, "AP RR").draw(".svg").decode()
            assert cut(name) in svg
            assert f">{name}<" not in svg
    assert len(cut(name)) == LONGEST_NAME
    assert cut(name[:LONGEST_NAME]) == name[:LONGEST_NAME]


@pytest.mark.long
def test_size_and_title(demo: Command, tmp_path: Path) -> None:
    def drawn(*words: object) -> tuple[str, float, float]:
        """The chart, its width and its height."""
        assert demo("chart", *words, "-o", "chart.svg").returncode == 0
        svg = (tmp_path / "chart.svg").read_text()
        found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
        assert found is not None
        return svg, float(found[1]), float(found[2])

    svg, *size = drawn("pr", "bm25", "dense", "--width", 400, "--height", 250, "--title", "A & B")
    assert size == [400, 250]
    assert ">A &amp; B<" in svg
    assert "Precision at levels" not in svg
    svg, *_ = drawn("pr", "bm25", "dense", "--title", "")
    assert "Precision at levels" not in re.sub(r'aria-\w+="[^"]*"', "", svg)
    assert drawn("leaderboard", "-m", "AP", "--width", 300)[1] == 300
    scatter = demo("chart", "scatter", "dense", "--baseline", "bm25", "-m", "AP", "-o", "chart.png")
    assert (scatter.returncode, scatter.stdout) == (0, ""), scatter.stderr
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
