"""Charts: what each draws of a warehouse, and Vega-Lite specifications under ``charts/`` that draw it; no network."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.database.disk import whole_file
from evalsql.database.names import Names, as_list, resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.listings import history_query, texts
from evalsql.evaluation.notices import on_costs
from evalsql.evaluation.selection import Choice
from evalsql.literals import literal
from evalsql.phrases import shortened
from evalsql.report import html
from evalsql.report.page import report_data
from evalsql.report.table import Table, finite
from evalsql.report.terminal import one_line
from evalsql.report.writers import known_extension
from evalsql.warehouse.warehouse import Warehouse

MOST_LINES = 8
EXTENSIONS = (".png", ".svg", ".pdf", ".html")
# Told apart on white by everybody, also by those who do not see red, green or blue; and each with a contrast of 3.
COLOURS = ("#0b61ad", "#b34700", "#29a35a", "#931ce3", "#363663", "#a08bc1", "#5b2b0b", "#a65978")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2))
LONGEST_NAME = 36
_OF_LINES = ("pr", "roc", "tap", "unjudged", "slope", "history", "calls")
_OF_TWO_RUNS = ("differences", "scatter", "histogram")
_OF_ONE_MEASURE = (*_OF_TWO_RUNS, "distribution", "topics", "leaderboard")
_OF_TWO = {"slope": "-m AP -m nDCG@10", "pareto": "-m nDCG@10 -m 'Cost(name=latency_ms)'"}
_BINS = 16
_DIFFERENCES = """
select topic, run, baseline, value, baseline_value, difference
from paired_differences(baseline := {baseline}) where qrels = {qrels} order by difference desc, topic"""
# What charts of values ask for, by their names.
_QUERIES: Mapping[str, str] = {
    "differences": _DIFFERENCES,
    "scatter": _DIFFERENCES,
    "histogram": """
        select found.run, found.baseline, found.difference, found.low, found.high, bins.* from ({bins}) as bins
        join differences(baseline := {baseline}) as found on found.qrels = {qrels} and found.run = {run}
        order by bins.bin_low""",
    "leaderboard": "select run, value, place, low, high from ({means}) order by position",
    "slope": """
        select run, measure, value, place, position, measure = {first} as is_first from ({means})
        order by is_first desc, position""",
    "pareto": """
        select * exclude (qrels) replace (array_to_string(dominated_by, ', ') as dominated_by)
        from pareto_front(quality_measure := {first}, cost_measure := {second}) where qrels = {qrels}
        order by cost, quality""",
    "topics": report_data.OF_SCORES["values"],
    "distribution": report_data.OF_SCORES["distribution"],
    # Measures that do not tell the runs apart agree with none, which a chart cannot show.
    "agreement": f"select * from ({report_data.OF_SCORES['agreement']}) where tau_b is not null",
}
_FOLDER = Path(__file__).resolve().parent / "charts"
SPECIFIED = sorted(path.stem for path in _FOLDER.glob("*.json") if path.stem != "config")
NAMES = tuple(name for name in SPECIFIED if name not in ("pr_topics", "roc_topics"))  # evalsql curve has rows for these
_BLANK = {"mark": "point"}
_SETTINGS = '{"renderer":"svg"'
_MENU = ', "actions": {"export": true, "source": false, "compiled": false, "editor": false}'
_PIXELS = 2.0
# Systems have areas beside their lines, whose colour is too pale for a legend.
_SYMBOLS: Mapping[str, Mapping[str, Any]] = {
    "run": {"symbolType": "stroke"},
    "system": {"symbolType": "circle", "symbolOpacity": 1},
}
_DASHED = ("calls", "history", "pr", "pr_topics", "roc", "roc_topics", "slope", "unjudged")
_CUT = (
    f"length(datum.label) > {LONGEST_NAME} ? slice(datum.label, 0, {LONGEST_NAME // 2 - 1}) + '\u2026' "
    f"+ slice(datum.label, {-LONGEST_NAME // 2}) : datum.label"
)
VEGA_LITE = "application/vnd.vegalite.v5+json"


class Style(NamedTuple):
    colour: str
    dashes: tuple[int, ...]
    system: str


@dataclass(frozen=True)
class Chart:
    """A chart over rows, whose columns are its fields; a notebook shows it as an SVG, drawn without a network."""

    name: str
    rows: Table
    of: str = ""  # goes into its title
    notes: Sequence[str] = ()  # what is to be said of it, such as how many systems are left out
    width: int | None = None  # pixels of the picture, where it has several parts of a part; None is as specified
    height: int | None = None
    title: str | None = None  # replaces its own; an empty one is none
    axes: Mapping[str, str] = field(default_factory=dict)  # titles of x and y that are not as specified
    styles: Mapping[str, Style] = field(default_factory=dict)  # by run and system

    @property
    def specification(self) -> dict[str, Any]:
        """The chart in Vega-Lite."""
        values = [dict(zip(self.rows.columns, map(finite, row), strict=True)) for row in self.rows.rows]
        colours = {"range": {"category": list(COLOURS)}}
        spec = _read(self.name) | {"data": {"values": values}, "config": _read("config") | colours}
        if self.of:
            spec["title"]["text"] += f": {self.of}"
        if self.title is not None:
            spec["title"] = {"text": self.title} if self.title else None
        if row := spec.get("facet", {}).get("row"):  # measures as they were asked for, not by their names
            row["sort"] = list(dict.fromkeys(each[row["field"]] for each in values))
        for encoding in _encodings(spec):
            self._name_axes(encoding)
            self._keep_styles(encoding, values)
        self._resize(spec)
        drawable: dict[str, Any] = html.drawable(spec)
        return drawable

    def _name_axes(self, encoding: dict[str, Any]) -> None:
        """Cut long names of systems, give axes their titles, and show the texts of topics where rows have them."""
        if "text" in self.rows.columns and "tooltip" in encoding:
            encoding["tooltip"].append({"field": "text", "type": "nominal", "title": "text"})
        for channel, guide in (("y", "axis"), ("color", "legend"), ("facet", "header")):
            drawn = encoding.get(channel) or {}
            if drawn.get("field") in _SYMBOLS and drawn.get(guide, {}) is not None:
                symbols = _SYMBOLS[drawn["field"]] if guide == "legend" else {}
                drawn[guide] = {**drawn.get(guide, {}), **symbols, "labelExpr": _CUT, "labelLimit": 400}
        for axis, words in self.axes.items():
            if "title" in encoding.get(axis, {}):  # whose backslashes are read as escapes
                encoding[axis]["title"] = cut(words).replace("\\", "\u2216")

    def _resize(self, spec: dict[str, Any]) -> None:
        """Give the picture, or each of its parts, the width and the height that were asked for."""
        sizes = {name: size for name in ("width", "height") if (size := getattr(self, name)) is not None}
        if not sizes:
            return
        spec.get("spec", spec).update(sizes)
        if "spec" not in spec:
            kind = "fit" if len(sizes) > 1 else "fit-x" if self.width else "fit-y"
            spec["autosize"] = {"type": kind, "contains": "padding"}

    def _keep_styles(self, encoding: dict[str, Any], values: list[dict[str, Any]]) -> None:
        """Give each system its own colour and, where lines of the same colour may be drawn, its dashes."""
        colour = encoding.get("color") or {}
        drawn = dict.fromkeys(row.get(colour["field"]) for row in values) if colour.get("field") in _SYMBOLS else {}
        names = [str(name) for name in drawn if name in self.styles]
        if not names:
            return
        _, dashes, systems = zip(*(self.styles[name] for name in names), strict=True)
        colours = {system: self.styles[system].colour for system in sorted({*systems})}
        free, taken = [each for each in COLOURS if each not in colours.values()], set[str]()
        for system, own in colours.items():
            if own in taken and free:  # systems that were loaded eight apart
                colours[system] = free.pop(0)
            taken.add(own)
        colour["scale"] = {"domain": names, "range": [colours[system] for system in systems]}
        if self.name in _DASHED and {*dashes} != {DASHES[0]}:
            encoding["strokeDash"] = colour | {"scale": {"domain": names, "range": list(map(list, dashes))}}

    def draw(self, extension: str) -> bytes:
        """The chart as a PNG, an SVG, a PDF or a page that needs nothing else; UsageError without the engine."""
        try:
            import vl_convert
        except ImportError as error:
            raise UsageError(
                "charts are drawn by an engine of 84 MB: pip install 'evalsql[charts]' brings it"
            ) from error

        if extension == ".html":
            return _page(self.specification, vl_convert.vegalite_to_html(_BLANK, bundle=True)).encode()
        scale = {"scale": _PIXELS} if extension == ".png" else {}
        drawn: str | bytes = getattr(vl_convert, f"vegalite_to_{extension[1:]}")(self.specification, **scale)
        return drawn.encode() if isinstance(drawn, str) else drawn

    def save(self, path: str | Path) -> None:
        """Write the chart to a file, which is replaced: .png, .svg, .pdf or .html; raises UsageError for others."""
        content = self.draw(known_extension(Path(path), EXTENSIONS, "charts are drawn"))
        with whole_file(Path(path)) as stream:
            stream.write(content)

    def __repr__(self) -> str:
        of = f" of {self.of}" if self.of else ""
        said = "".join(f"; {note}" for note in self.notes)
        return one_line(f"<chart {self.name}{of}, {len(self.rows.rows):,} rows; .save(FILE) writes it{said}>")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        bundle = {VEGA_LITE: self.specification, "text/plain": repr(self)}
        with suppress(UsageError):  # a notebook draws Vega-Lite itself
            bundle["image/svg+xml"] = self.draw(".svg").decode()
        return bundle


def drawing(
    warehouse: Warehouse,
    name: str,
    measures: Names,
    *,
    qrels: str | None = None,
    runs: Names = (),
    baseline: str | None = None,
    lines: int | None = None,
    **look: Any,
) -> Chart:
    """The chart of this name; raises UsageError for names, runs or measures that it does not take.

    Charts of one measure take the first, slope the first two. ``baseline`` is what the only run named is compared with.
    ``lines`` are systems at most, see ``most_lines``; the look is width, height and title of a ``Chart``.
    """
    named = parse_measures(as_list(measures), warehouse.catalog)
    if baseline is not None:
        if name not in _OF_TWO_RUNS:
            raise UsageError(f"the chart {name} takes no baseline; {', '.join(_OF_TWO_RUNS)} do")
        baseline = resolve_one(warehouse.database, "run", baseline)
    if name == "judges":
        pairs, notes = report_data.judge_pairs(warehouse, qrels and report_data.judgment_set(warehouse, qrels))
        if not pairs.rows:
            raise UsageError("nothing can be drawn as judges: no document is judged by two sets")
        return Chart(name, pairs, notes=notes, **look)
    judged = report_data.judgment_set(warehouse, qrels)
    most, of, axes = lines, "", dict[str, str]()
    if name in _OF_LINES:
        most = most_lines(lines, as_list(runs), warehouse.database.column("select run from runs"))
    if name == "history":
        asked = history_query(warehouse.evaluation, measures, choice=Choice(as_list(runs)), qrels=judged)
        found = Table(*warehouse.database.table(asked))
        table, notes = best_systems(warehouse, asked, found, named[0], most)
    else:
        chosen = [run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(judged, runs))]
        _check(name, named, judged, chosen, baseline)
        drawn, notes = best_runs(warehouse, named[0], judged, chosen, most)
        of_runs = "pr_topics" if name == "pr_levels" else name
        if of_runs in report_data.DRAWN_OF_RUNS:
            stored_scores.check_rankings(warehouse.database, f"the chart {name}", drawn)
            table = Table(*warehouse.database.table(report_data.run_rows_query(warehouse, of_runs, judged, drawn)))
        else:
            table = _values(warehouse, name, named, judged, drawn, baseline, chosen)
        of, axes = _titles(name, named, chosen[0], baseline, table)
        if name == "pareto":
            notes = [*notes, *on_costs(warehouse.evaluation, named[1:2], [judged], drawn)]
    if not table.rows:
        raise UsageError(f"nothing can be drawn as {name}")
    if name == "leaderboard" and all(row[-1] is None for row in table.rows):
        notes = [*notes, f"{named[0].name}: its mean has no interval by Student's t, so none is drawn"]
    return Chart(name, table, of, notes, styles=styles(warehouse), axes=axes, **look)


def _titles(
    name: str, named: Sequence[Measure], run: str, baseline: str | None, table: Table
) -> tuple[str, dict[str, str]]:
    """What the title says the chart is of, and the titles of its axes where these are not as specified."""
    measure = named[0].name
    if name == "pareto":
        is_of_topics = any(table.values("num_topics"))
        cost = str(named[1].arguments.get("name") or named[1].name) + ("" if is_of_topics else " of the whole run")
        return f"{measure} against {named[1].name}", {"x": cost, "y": measure}
    if name == "scatter":
        return f"{measure}, {run} and {baseline}", {"x": str(baseline), "y": run}
    if name == "pr_levels":
        return run, {}
    if name in _OF_TWO_RUNS:
        return f"{measure}, {run} less {baseline}", {}
    return measure if name in _OF_ONE_MEASURE else "", {}


def _check(name: str, named: Sequence[Measure], qrels: str, runs: Sequence[str], baseline: str | None) -> None:
    if name in (*_OF_TWO_RUNS, "pr_levels") and len(runs) != 1:
        raise UsageError(f"the chart {name} takes one run: name one of {shortened(runs) or 'no runs'}")
    if not runs or not named:
        raise UsageError(f"a chart needs a measure and a run evaluated with {qrels}; evalsql load runs loads runs")
    if name in _OF_TWO_RUNS and baseline is None:
        raise UsageError(f"the chart {name} needs a baseline; name it with --baseline")
    if baseline in runs:
        raise UsageError(f"{baseline} is compared with itself; name two runs")
    if name in _OF_TWO and len(named) < 2:
        raise UsageError(f"the chart {name} is of two measures: {_OF_TWO[name]}")
    if name == "pareto" and [each.relation.header.less_is_better for each in named[:2]] != [False, True]:
        raise UsageError(f"the chart pareto has what is better where it is more, then a cost: {_OF_TWO[name]}")


def _values(
    warehouse: Warehouse,
    name: str,
    named: Sequence[Measure],
    qrels: str,
    drawn: Sequence[str],
    baseline: str | None,
    runs: Sequence[str],
) -> Table:
    """The rows of a chart of values with their words; places are those among all the runs."""
    database, given = warehouse.database, named if name == "agreement" else named[: 1 + (name in _OF_TWO)]
    compared: dict[str, Any] = {"qrels": qrels, "run": drawn[0], "baseline": baseline}
    parts = {key: literal(value) for key, value in compared.items()} | {
        "first": literal(named[0].name),
        "second": literal(given[-1].name),
        "names": literal([measure.name for measure in given]),
        "bins": database.query("difference_bins", **compared, bins=_BINS),
        "means": report_data.means_query(database, qrels, given, report_data.names_query("run", drawn)),
    }
    asked = [*(runs if "{means}" in _QUERIES[name] else drawn), *filter(None, [baseline])]
    with warehouse.evaluation.with_scores(given, qrels=qrels, runs=asked):
        table = Table(*database.table(_QUERIES[name].format(**parts)))
    if name == "slope":
        labels = [f"{place}  {cut(str(run))}" for place, run in table.picked("place", "run")]
        return table.with_column(len(table.columns), "label", labels)
    words = texts(warehouse.evaluation) if "topic" in table.columns else {}
    if any(held == qrels for held, _ in words):
        found = [words.get((qrels, str(topic))) for topic in table.values("topic")]
        table = table.with_column(len(table.columns), "text", found)
    return table


def most_lines(lines: int | None, asked: Sequence[str], held: Iterable[str]) -> int | None:
    """How many systems are drawn at most; None is all, as if each is named in full."""
    return lines or (None if asked and {*asked} <= {*held} else MOST_LINES)


def best_runs(
    warehouse: Warehouse, measure: Measure, qrels: Names, runs: Sequence[str], most: int | None
) -> tuple[Sequence[str], list[str]]:
    """The best runs by a measure, and a note on how many are left out."""
    if most is None:
        return runs, []
    board = warehouse.evaluation.scores_query([measure.name], qrels=qrels, runs=runs)
    names = list(dict.fromkeys(run for _, run, _ in warehouse.rows(board)))
    return names[:most], _notes(most, len(names), measure)


def best_systems(
    warehouse: Warehouse, history: str, table: Table, measure: Measure, most: int | None
) -> tuple[Table, list[str]]:
    """The rows of the systems whose latest runs are best by a measure, and a note on those left out.

    ``history`` is the SELECT that gave the table. Raises UsageError for one of several judgment sets.
    """
    if len(sets := sorted({*table.values("qrels")})) > 1:
        raise UsageError(f"a chart is of one judgment set, name it with --qrels: {', '.join(sets)}")
    less = measure.relation.header.less_is_better
    shown = {"shown_history": history}
    placed = warehouse.database.query("system_places", shown, measure=measure.name, less_is_better=less)
    places = dict(warehouse.rows(f"select system, place from ({placed})"))
    if most is None or len(places) <= most:
        return table, []
    best = {system for system, place in places.items() if place <= most}
    kept = [row for row, system in zip(table.rows, table.values("system"), strict=True) if system in best]
    return table._replace(rows=kept), _notes(most, len(places), measure)


def _notes(most: int, there: int, measure: Measure) -> list[str]:
    said = f"{most} of {there} systems are drawn, the best by {measure.name}; --lines {there} draws all"
    return [said] if there > most else []


def styles(warehouse: Warehouse) -> Mapping[str, Style]:
    """Colour and dashes of every run, and of every system, in any chart."""
    query = warehouse.database.query("run_styles", colours=len(COLOURS), dashes=len(DASHES))
    found: dict[str, Style] = {}
    for run, system, _, colour, dash in warehouse.rows(f"select * from ({query}) order by place"):
        found[run] = Style(COLOURS[colour], DASHES[dash], system)
        found.setdefault(system, found[run])
    return found


def cut(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME // 2 - 1]}\u2026{name[-LONGEST_NAME // 2 :]}"


def _read(name: str) -> dict[str, Any]:
    """A chart without data, or what all charts look like (config)."""
    found: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _encodings(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every encoding of a specification, those of its layers and parts too."""
    if "encoding" in spec:
        yield spec["encoding"]
    for inner in (*spec.get("layer", ()), *([spec["spec"]] if "spec" in spec else ())):
        yield from _encodings(inner)
    if isinstance(spec.get("facet"), dict):
        yield {"facet": spec["facet"]}


def _page(spec: dict[str, Any], page: str) -> str:
    """The blank chart's page with another specification."""
    before, _, after = page.partition(json.dumps(_BLANK, separators=(",", ":")))
    head = before.replace("<html>", '<html lang="en">', 1)
    head = head.replace("<style>", "<title>evalsql</title>\n    <style>", 1)
    return head + html.embedded_json(spec) + after.replace(_SETTINGS, _SETTINGS + _MENU, 1)
