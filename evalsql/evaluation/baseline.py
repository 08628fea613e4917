"""Figures of a run in a file that a repository can hold: by measure and topic, as JSON or TOML."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.errors import UsageError

EXTENSIONS = (".json", ".toml")
_TEXTS = ("run", "qrels", "qrels_sha256", "evalsql_version")

Values = Mapping[str, Mapping[str, float]]


class Figures(NamedTuple):
    """Values by measure and topic, of which run, and by which judgments."""

    run: str
    qrels: str
    qrels_sha256: str
    evalsql_version: str
    measures: Values


def read_figures(path: Path) -> Figures:
    """Read a file of figures; raises UsageError where it cannot be read or holds something else."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix.lower() == ".toml":
            content = tomllib.loads(text)
        else:
            content = json.loads(text, object_pairs_hook=_without_repeats)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # what both parsers raise stands on ValueError
        raise UsageError(f"{path}: is no {path.suffix[1:].upper()} file of figures: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("measures"), dict) or not content["measures"]:
        raise UsageError(f'{path}: has no "measures"; evalsql gate RUN --update-baseline writes such a file')
    texts = {key: content.get(key, "") for key in _TEXTS}
    if odd := [key for key, value in texts.items() if not isinstance(value, str)]:
        raise UsageError(f"{path}: {odd[0]} must be a text")
    measures = {name: _topics(path, name, given) for name, given in content["measures"].items()}
    _check_complete(path, measures)
    return Figures(**texts, measures=measures)


def text_of(figures: Figures, path: Path) -> str:
    """What a file of figures holds, topics in the order of their names; raises UsageError for other extensions."""
    if path.suffix.lower() not in EXTENSIONS:
        raise UsageError(f"{path}: a baseline is written as {' or '.join(EXTENSIONS)}")
    measures = {name: dict(sorted(values.items())) for name, values in figures.measures.items()}
    content = {key: getattr(figures, key) for key in _TEXTS}
    if path.suffix.lower() == ".json":
        return json.dumps({**content, "measures": measures}, indent=1, ensure_ascii=False) + "\n"
    lines = [f"{key} = {_quoted(value)}" for key, value in content.items()]
    for name, values in measures.items():
        lines += ["", f"[measures.{_quoted(name)}]", *(f"{_quoted(topic)} = {values[topic]!r}" for topic in values)]
    return "\n".join(lines) + "\n"


def _topics(path: Path, measure: str, given: Any) -> dict[str, float]:
    if not isinstance(given, dict) or not given:
        raise UsageError(f"{path}: {measure} has no values by topic")
    for topic, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UsageError(f"{path}: {measure} of topic {topic} is {value!r}, not a finite number")
    return {topic: float(value) for topic, value in given.items()}


def _check_complete(path: Path, measures: Values) -> None:
    """Every measure has the same topics: a mean over some of them would pass for that over all."""
    topics = {topic for values in measures.values() for topic in values}
    for name, values in measures.items():
        if lacking := sorted(topics - values.keys()):
            raise UsageError(f"{path}: {name} has no value of topic {lacking[0]}, which another measure has")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f'"{next(name for name in names if names.count(name) > 1)}" stands twice')
    return found


def _quoted(text: str) -> str:
    """A basic string of TOML: as in JSON, and the one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
