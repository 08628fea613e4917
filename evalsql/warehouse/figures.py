"""By which conventions figures found elsewhere were made: measures are tried in variants, under all tie rules."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.ddl import ANSWERS, SCORES, averaged, relation_query, with_inputs
from evalsql.catalog.header import TIES, Value
from evalsql.catalog.measure_names import CUTOFF, GAINS, Measure, is_measure, literal, parse_measures
from evalsql.catalog.relations import Catalog
from evalsql.errors import InputError, Problem, UsageError
from evalsql.ingest.files.result_files import ResultError, table_rows
from evalsql.phrases import Progress, silent
from evalsql.warehouse.warehouse import Warehouse

TIE_RULES = ("trec_eval", "trec_eval_10", "input", "rank")
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000, None)
_SYSTEM = ("system", "run", "model", "tag")
_FIGURE = re.compile(r"-?(\d+\.?\d*|\.\d+)")
_WORDS: Mapping[tuple[str, Value], str] = {
    ("dcg", "exp-log2"): "gains 2^grade - 1",
    ("judged_only", True): "unjudged documents removed",
    (TIES, "expected"): "mean over all orders of ties",
    ("max_rel", None): "greatest grade of the judgments",
}


class Figure(NamedTuple):
    system: str
    asked: str  # the measure as the figure names it
    figure: str  # as it is printed


def figure_of(text: str) -> str:
    """The text of a printed figure; raises UsageError for others."""
    if _FIGURE.fullmatch(text.strip()):
        return text.strip()
    raise UsageError(f'"{text}" is no figure; give it as it is printed, such as 0.4213')


class Convention(NamedTuple):
    asked: str
    measure: Measure
    changes: list[str]  # in words, what it does otherwise than the measure as asked


def read_figures(path: Path, catalog: Catalog) -> tuple[list[Figure], list[str]]:
    """The figures of a table, and the columns that are of no measure here; raises InputError with file and line.

    A row has a system, a measure and a value, or a system, in the first column if none is called so, and a value for
    each measure in a column with its name.
    """
    found: list[Figure] = []
    others: dict[str, None] = {}
    try:
        for line, row in table_rows(path.read_text(encoding="utf-8")):
            system = next((name for name in _SYSTEM if name in row), next(iter(row)))
            is_long = {"measure", "value"} <= row.keys()
            cells = {str(row["measure"]): row["value"]} if is_long else {k: v for k, v in row.items() if k != system}
            for name, value in cells.items():
                text = str(value or "").strip()
                if not is_measure(str(name), catalog):
                    others[str(name)] = None
                elif _FIGURE.fullmatch(text):
                    found.append(Figure(str(row[system]).strip(), str(name), text))
                elif text:
                    raise ResultError(line, f'"{text}" is no number')
    except (OSError, UnicodeDecodeError) as error:
        raise InputError([Problem(str(path), 0, f"cannot be read: {error}")]) from error
    except ResultError as error:
        raise InputError([Problem(str(path), error.line, error.reason)]) from error
    return found, list(others)


def conventions(warehouse: Warehouse, asked: str, *, other_cutoffs: bool = False) -> list[Convention]:
    """A measure as it is asked for, and with each combination of what programs do otherwise."""
    named = parse_measures([asked], warehouse.catalog)
    if len(named) != 1:
        raise UsageError(f'"{asked}" stands for {len(named)} measures; name one')
    ((greatest,),) = warehouse.rows("select coalesce(max(grade), 1) from judged_documents")
    choices = dict(_choices(named[0], int(greatest), other_cutoffs))
    found: dict[str, Convention] = {}
    for values in itertools.product(*choices.values()):
        given = dict(zip(choices, values, strict=True))
        changed = {name: value for name, value in given.items() if value != named[0].arguments[name]}
        measure = named[0]._replace(arguments={**named[0].arguments, **changed})
        words = [_words(name, value) for name, value in changed.items()]
        found.setdefault(measure.name, Convention(asked, measure, words))
    return list(found.values())


def _choices(measure: Measure, greatest: int, other_cutoffs: bool) -> Iterator[tuple[str, list[Value]]]:
    """Parameters that programs set otherwise, each with its values, that of the measure first."""
    tried: dict[str, list[Value]] = {
        "dcg": ["log2", "exp-log2"],
        "judged_only": [False, True],
        TIES: ["rule", "expected"],
        "rel": [*range(1, greatest + 1)],
        "max_rel": [4, None],
        CUTOFF: [*CUTOFFS] if other_cutoffs else [],
    }
    if measure.relation.header.measure == "RBP":
        tried[GAINS] = [None, ",".join(f"{grade}={grade / greatest:g}" for grade in range(1, greatest + 1))]
    for name, values in tried.items():
        if name in measure.arguments:
            own = measure.arguments[name]
            yield name, [own, *(value for value in values if value != own)]


def _words(name: str, value: Value) -> str:
    told = {
        "rel": f"relevant from grade {value}",
        CUTOFF: f"cutoff {value or 'none'}",
        GAINS: f"gains by grade {value}",
    }
    return _WORDS.get((name, value)) or told.get(name, f"{name} {value}")


def compared_query(
    warehouse: Warehouse,
    runs: Sequence[str],
    figures: Sequence[Figure],
    *,
    other_cutoffs: bool = False,
    progress: Progress = silent,
) -> tuple[str, list[str]]:
    """A SELECT of ``figure_conventions`` for runs in files, and what could not be tried; judgments are loaded."""
    asked = dict.fromkeys(figure.asked for figure in figures)
    tried = [each for name in asked for each in conventions(warehouse, name, other_cutoffs=other_cutoffs)]
    labelled = {each.measure.name: each.measure for each in tried}
    left_out = []
    warehouse.execute(
        "create or replace temp table found_means "
        "(run varchar, measure varchar, tie_rule varchar, topics varchar, value double)"
    )
    for done, rule in enumerate(TIE_RULES):
        progress("tie rules", done, len(TIE_RULES))
        try:
            warehouse.load_runs(runs, tie_rule=rule, replace=True, tells_remarks=rule == TIE_RULES[0])
        except InputError as error:
            if rule == TIE_RULES[0]:
                raise
            left_out.append(f"tie rule {rule}: {str(error).splitlines()[0]}")
            continue
        warehouse.evaluation.fill_scores("figure_answers", list(labelled.items()))
        for topics in ("all", "retrieved"):
            given = {SCORES: "select * from temp.figure_answers", "answered": ANSWERS}
            means = with_inputs(averaged(warehouse.catalog, topics), given)
            warehouse.execute(
                f"insert into temp.found_means select run, measure, {literal(rule)}, {literal(topics)}, value "
                f"from ({means})"
            )
    inputs = {
        "figures": _values("system, asked, figure", figures),
        "conventions": _values(
            "asked, measure, changes, greatest",
            [(each.asked, each.measure.name, each.changes, each.measure.relation.header.bounds[1]) for each in tried],
        ),
        "found_means": "select * from temp.found_means",
    }
    return relation_query(warehouse.catalog, "figure_conventions", inputs), left_out


def _values(columns: str, rows: Sequence[Sequence[object]]) -> str:
    listed = ", ".join(f"({', '.join(literal(value) for value in row)})" for row in rows)  # type: ignore[arg-type]
    return f"select * from (values {listed}) as listed({columns})"
