"""Writes what each variant gives into the cases: ``python -m tests.conformance.fill``.

A case is written by a person: qrels.txt, run.txt, and case.json with its title, what it separates, a note and the
measures under ``expected``. This program adds the values there, and writes variants.json and faults.json.
"""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.exact import AXES, Case, number_of, read_case, text_of, value_of
from tests.conformance.formulas import FAULTS, VARIANTS, Form
from tests.tools.marked import replaced

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "conformance"
Row = dict[str, Any]


def form_of(measure: str) -> str:
    """nDCG@k for nDCG@10."""
    name, sign, _ = measure.partition("@")
    return f"{name}@k" if sign else name


def axes_of(case: Case, files_only: bool) -> dict[str, list[str]]:
    """The conventions that may matter in a case, each with its options."""
    grades = [grade for topic in case.qrels.values() for grade in topic.values()]
    documents = {topic: [row[0] for row in rows] for topic, rows in case.rows.items()}
    matters = {
        "ties": True,
        "topics": case.qrels.keys() != case.rows.keys(),
        "without relevant": any(max(topic.values()) < 1 for topic in case.qrels.values()),
        # Where a negative grade is no judgment its document is removed too.
        "unjudged": any(
            case.qrels.get(topic, {}).get(name, -1) < 0 for topic, names in documents.items() for name in names
        ),
        "negative": min(grades, default=0) < 0,
        "duplicates": any(len(set(names)) < len(names) for names in documents.values()),
    }
    chosen = {axis: list(options) if matters[axis] else list(options)[:1] for axis, options in AXES.items()}
    if not files_only:
        chosen["ties"].remove("rank column")  # a dictionary has none
    if max((len(names) for names in documents.values()), default=0) > 10:
        chosen["ties"].remove("mean of orders")  # too many orders to try
    return chosen


def rows_of(case: Case, form: Form, measure: str, options: Mapping[str, Sequence[str]]) -> Iterable[Row]:
    """A row for each value, with the conventions that lead to it where these matter."""
    k = int(measure.partition("@")[2] or 0) or None
    found: dict[tuple[str, ...], tuple[float, str]] = {}
    for choice in itertools.product(*options.values()):
        given = value_of(case, form.formula, k, dict(zip(options, choice, strict=True)))
        if given is not None:
            found[choice] = float(number_of(given)), text_of(given)
    merged = {tuple(frozenset([option]) for option in choice): value for choice, value in found.items()}
    for at in range(len(options)):
        grouped: dict[Any, set[str]] = {}
        for sets, value in merged.items():
            grouped.setdefault((sets[:at], sets[at + 1 :], value[0]), set()).update(sets[at])
        texts = {pair[0]: pair for pair in merged.values()}
        merged = {
            (*before, frozenset(each), *after): texts[number] for (before, after, number), each in grouped.items()
        }
    for sets, (mean, text) in merged.items():
        conventions = {
            axis: [option for option in options[axis] if option in each]
            for axis, each in zip(options, sets, strict=True)
            if len(each) < len(options[axis])
        }
        yield {"measure": measure, "variant": form.name, "value": mean, "exact": text} | (
            {"conventions": conventions} if conventions else {}
        )


def filled(folder: Path) -> tuple[dict[str, Any], list[Row]]:
    """The contents of a case's case.json with all values, and what its measures give under known faults."""
    described = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    case = read_case(folder)
    options = axes_of(case, described.get("files_only", False))
    measures = list(dict.fromkeys(row["measure"] for row in described["expected"]))
    # The share that is judged is asked of what is retrieved, so no document is taken out for it.
    kept = options | {"unjudged": ["not relevant"]}
    rows: list[list[Row]] = [
        [
            row
            for measure in measures
            for form in forms
            if form.measure == form_of(measure)
            for row in rows_of(case, form, measure, kept if measure.startswith("Judged") else options)
        ]
        for forms in (VARIANTS, FAULTS)
    ]
    if not rows[0]:
        raise ValueError(f"{folder.name}: no variant has a value")
    for row in rows[1]:
        row["fault"] = row.pop("variant")
        del row["exact"]
    return described | {"expected": rows[0]}, rows[1]


def _text(content: Any) -> str:
    """JSON with a line for each row."""
    lines = []
    for key, value in content.items():
        if isinstance(value, list):
            items = ",\n".join(f"    {json.dumps(each, ensure_ascii=False)}" for each in value)
            lines.append(f"  {json.dumps(key)}: [\n{items}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def files(folder: Path = FOLDER) -> dict[str, str]:
    """The text of each file that this program writes, by path under the folder."""
    written, faults = {}, {}
    for path in sorted(folder.glob("*/case.json")):
        described, wrong = filled(path.parent)
        written[f"{path.parent.name}/case.json"] = _text(described)
        faults[path.parent.name] = wrong
    measures: dict[str, dict[str, str]] = {}
    for form in VARIANTS:
        measures.setdefault(form.measure, {})[form.name] = form.meaning
    described = {"conventions": AXES, "measures": measures}
    written["variants.json"] = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    written["faults.json"] = _text(faults)
    page = (folder / "README.md").read_text(encoding="utf-8")
    written["README.md"] = replaced(page, "variants", _tables(measures))
    return written


def _tables(measures: Mapping[str, Mapping[str, str]]) -> str:
    """What variants and conventions are, as tables."""
    tables = []
    for heading, named in (("measure | variant", measures), ("convention | option", AXES)):
        rows = [f"| {key} | {name} | {meaning} |" for key, each in named.items() for name, meaning in each.items()]
        tables.append("\n".join([f"| {heading} | what it does |", "|---|---|---|", *rows]))
    return "\n\n".join(tables)


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
