"""Charts: Vega-Lite specifications under ``charts/``, drawn with whatever rows they are given; no network."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from evalsql.report.table import Table

_FOLDER = Path(__file__).resolve().parent / "charts"
_BLANK = {"mark": "point"}
_SETTINGS = '{"renderer":"svg"'
_MENU = ', "actions": {"export": true, "source": false, "compiled": false, "editor": false}'
MOST_COLOURS = 20
PIXELS = 2.0
EXTENSIONS = (".png", ".svg", ".html")


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


def specification(name: str, table: Table, of: str = "") -> dict[str, Any]:
    """The chart ``name`` over the rows of ``table``, whose columns are its fields; ``of`` goes into its title."""
    values = [dict(zip(table.columns, map(finite, row), strict=True)) for row in table.rows]
    few = len({row.get("run") for row in values}) <= 10
    colours = {"range": {"category": {"scheme": "tableau10" if few else "tableau20"}}}
    spec = blank(name) | {"data": {"values": values}, "config": config() | colours}
    if of:
        spec["title"]["text"] += f": {of}"
    if "text" in table.columns:
        spec["encoding"]["tooltip"].append({"field": "text", "type": "nominal", "title": "text"})
    return spec


def draw(name: str, table: Table, extension: str, of: str = "") -> bytes:
    """The chart as a PNG, an SVG or a page that needs nothing else."""
    import vl_convert

    spec = specification(name, table, of)
    if extension == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=PIXELS))
    if extension == ".svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
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
