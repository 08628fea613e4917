"""Charts: Vega-Lite specifications under ``charts/``, drawn with whatever rows they are given; no network."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.report.table import Table

_FOLDER = Path(__file__).resolve().parent / "charts"
_BLANK = {"mark": "point"}
_SETTINGS = '{"renderer":"svg"'
_MENU = ', "actions": {"export": true, "source": false, "compiled": false, "editor": false}'
PIXELS = 2.0
EXTENSIONS = (".png", ".svg", ".pdf", ".html")
# Told apart on white by everybody, also by those who do not see red, green or blue; and each with a contrast of 3.
COLOURS = ("#0b61ad", "#b34700", "#29a35a", "#931ce3", "#363663", "#a08bc1", "#5b2b0b", "#a65978")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2))
_OF_LINES = ("history", "pr", "pr_topics", "roc", "roc_topics", "slope", "unjudged")
# Systems have areas beside their lines, whose colour is too pale for a legend.
_SYMBOLS: Mapping[str, Mapping[str, Any]] = {
    "run": {"symbolType": "stroke"},
    "system": {"symbolType": "circle", "symbolOpacity": 1},
}
LONGEST_NAME = 36
_CUT = (
    f"length(datum.label) > {LONGEST_NAME} ? slice(datum.label, 0, {LONGEST_NAME // 2 - 1}) + '\u2026' "
    f"+ slice(datum.label, {-LONGEST_NAME // 2}) : datum.label"
)


class Style(NamedTuple):
    """The colour of a system, and the dashes of its lines."""

    colour: str
    dashes: tuple[int, ...]


class Look(NamedTuple):
    """How a chart is drawn; what is None is as its specification has it, an empty title is none.

    ``width`` and ``height`` are those of the picture in pixels; where it has several parts, those of a part. ``styles``
    has the style of each run and system.
    """

    width: int | None = None
    height: int | None = None
    title: str | None = None
    styles: Mapping[str, Style] = {}


AS_IT_IS = Look()


def cut(name: str) -> str:
    """A name without its middle, where it is long."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME // 2 - 1]}\u2026{name[-LONGEST_NAME // 2 :]}"


def names() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.json") if path.stem != "config")


def blank(name: str) -> dict[str, Any]:
    """The chart ``name`` without data."""
    spec: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return spec


def config() -> dict[str, Any]:
    """What all charts look like."""
    common: dict[str, Any] = json.loads((_FOLDER / "config.json").read_text(encoding="utf-8"))
    return common


def specification(name: str, table: Table, of: str = "", look: Look = AS_IT_IS) -> dict[str, Any]:
    """The chart ``name`` over the rows of ``table``, whose columns are its fields; ``of`` goes into its title."""
    values = [dict(zip(table.columns, map(finite, row), strict=True)) for row in table.rows]
    colours = {"range": {"category": list(COLOURS)}}
    spec = blank(name) | {"data": {"values": values}, "config": config() | colours}
    if of:
        spec["title"]["text"] += f": {of}"
    if look.title is not None:
        spec["title"] = {"text": look.title} if look.title else None
    if "text" in table.columns:
        for encoding in _encodings(spec):
            if "tooltip" in encoding:
                encoding["tooltip"].append({"field": "text", "type": "nominal", "title": "text"})
    for encoding in _encodings(spec):
        _cut_names(encoding)
        _keep_styles(encoding, values, look.styles, has_lines=name in _OF_LINES)
    if name == "scatter" and values and {"run", "baseline"} <= {*table.columns}:
        for encoding in _encodings(spec):
            for axis, column in (("x", "baseline"), ("y", "run")):
                if "title" in encoding.get(axis, {}):
                    encoding[axis]["title"] = cut(str(values[0][column]))
    _size(spec, look)
    return spec


def _encodings(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every encoding of a specification, those of its layers and parts too."""
    if "encoding" in spec:
        yield spec["encoding"]
    for inner in (*spec.get("layer", ()), *([spec["spec"]] if "spec" in spec else ())):
        yield from _encodings(inner)
    if isinstance(spec.get("facet"), dict):
        yield {"facet": spec["facet"]}


def _cut_names(encoding: dict[str, Any]) -> None:
    for channel, guide in (("y", "axis"), ("color", "legend"), ("facet", "header")):
        shown = encoding.get(channel) or {}
        if shown.get("field") in ("run", "system") and shown.get(guide, {}) is not None:
            symbols = _SYMBOLS[shown["field"]] if guide == "legend" else {}
            shown[guide] = {**shown.get(guide, {}), **symbols, "labelExpr": _CUT, "labelLimit": 400}


def _keep_styles(
    encoding: dict[str, Any], values: list[dict[str, Any]], styles: Mapping[str, Style], *, has_lines: bool
) -> None:
    """Give each system of the chart its own colour and, where lines of the same colour may be drawn, its dashes."""
    colour = encoding.get("color") or {}
    field = colour.get("field")
    if field not in ("run", "system"):
        return
    names = [name for name in dict.fromkeys(row.get(field) for row in values) if name in styles]
    if not names:
        return
    chosen = [styles[str(name)] for name in names]
    colour["scale"] = {"domain": names, "range": [style.colour for style in chosen]}
    if has_lines and any(style.dashes != DASHES[0] for style in chosen):
        encoding["strokeDash"] = {
            **{key: value for key, value in colour.items() if key != "scale"},
            "scale": {"domain": names, "range": [list(style.dashes) for style in chosen]},
        }


def _size(spec: dict[str, Any], look: Look) -> None:
    if look.width is None and look.height is None:
        return
    drawn = spec.get("spec", spec)
    drawn |= {name: size for name, size in (("width", look.width), ("height", look.height)) if size is not None}
    if "spec" not in spec:
        kind = "fit" if look.width and look.height else "fit-x" if look.width else "fit-y"
        spec["autosize"] = {"type": kind, "contains": "padding"}


def draw(name: str, table: Table, extension: str, of: str = "", look: Look = AS_IT_IS) -> bytes:
    """The chart as a PNG, an SVG, a PDF or a page that needs nothing else."""
    import vl_convert

    spec = specification(name, table, of, look)
    if extension == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=PIXELS))
    if extension == ".svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    if extension == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    return _page(spec, vl_convert.vegalite_to_html(_BLANK, bundle=True)).encode()


def _page(spec: dict[str, Any], page: str) -> str:
    """The blank chart's page with another specification, in which no name can end the script."""
    blank = json.dumps(_BLANK, separators=(",", ":"))
    for found in (blank, _SETTINGS, "<html>", "<style>"):
        if found not in page:
            raise RuntimeError(f"the page of a blank chart lacks {found}")
    before, _, after = page.partition(blank)
    before = before.replace("<html>", '<html lang="en">', 1).replace(
        "<style>", "<title>evalsql</title>\n    <style>", 1
    )
    text = json.dumps(spec, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return before + text + after.replace(_SETTINGS, _SETTINGS + _MENU, 1)


def finite(value: Any) -> Any:
    """What JSON can hold: a threshold beyond all scores has no number."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
