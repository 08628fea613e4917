"""By which conventions figures found elsewhere were made: measures are tried in variants, under all orders of ties.

``sql/conventions`` has the variants, such as those of AP in ``ap_variants``, and what compares values with figures.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.header import TIE_RULE, TIES
from evalsql.catalog.measure_names import CUTOFF, GAINS, Measure, is_measure, parse_measures
from evalsql.catalog.queries import averaged, grouped, relation_query, with_inputs
from evalsql.catalog.relations import Catalog
from evalsql.errors import InputError, UsageError, input_error
from evalsql.ingest.base_rows import IN_MEMORY, rank_judged
from evalsql.ingest.files.result_files import ResultError, table_rows
from evalsql.ingest.frames import Query
from evalsql.literals import Value, literal, rows_query
from evalsql.phrases import Progress, silent
from evalsql.warehouse.warehouse import Warehouse

# Orders of documents: by tie rules of loaded runs, then those that lines_in_order.sql has of the lines.
TIE_RULES = ("trec_eval", "trec_eval_10", "rank", "input")
_BY_SCORE = TIE_RULES[:2]
_OTHER_ORDERS = ("names", "lines", "lines_reversed")
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000, None)
_SYSTEM = ("system", "run", "model", "tag")
_FIGURE = re.compile(r"-?(\d+\.?\d*|\.\d+)")
_WORDS: Mapping[tuple[str, Value], str] = {
    ("dcg", "exp-log2"): "gains 2^grade - 1",
    ("dcg", "log2"): "gains are the grades",
    ("judged_only", True): "unjudged documents removed",
    ("judged_only", False): "unjudged documents kept",
    (TIES, "rule"): "ties by the tie rule",
    (TIES, "expected"): "mean over all orders of ties",
    (TIES, "worst"): "worst order of ties",
    (TIES, "best"): "best order of ties",
    ("max_rel", None): "greatest grade of the judgments",
    (GAINS, None): "no gains by grade",
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
        raise input_error(path, f"cannot be read: {error}") from error
    except ResultError as error:
        raise input_error(path, error.reason, error.line) from error
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
        TIES: [TIE_RULE, "expected", "worst", "best"],
        "rel": [*range(1, greatest + 1)],
        "max_rel": [4, None],
        CUTOFF: [*CUTOFFS] if other_cutoffs else [],
    }
    if measure.relation.header.measure == "RBP":
        tried[GAINS] = [None, ",".join(f"{grade}={grade / greatest}" for grade in range(1, greatest + 1))]
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
    measures = list({each.measure.name: each.measure for each in tried}.values())
    left_out = _try_orders(warehouse, runs, measures, progress)
    inputs = {
        "figures": rows_query("system, asked, figure", figures),
        "conventions": rows_query(
            "asked, measure, changes, greatest, has_losses",
            [(each.asked, each.measure.name, each.changes, *_facts(each.measure)) for each in tried],
        ),
        "found_means": "select * from temp.found_means",
    }
    return warehouse.database.query("figure_conventions", inputs), left_out


def _try_orders(
    warehouse: Warehouse, runs: Sequence[str], measures: Sequence[Measure], progress: Progress
) -> list[str]:
    """Put means under every order of documents into the table ``found_means``; returns what could not be tried."""
    losses, left_out = _add_judgments(warehouse), list[str]()
    columns = dict.fromkeys(("run", "judgments", "measure", "document_order", "topics"), "varchar")
    warehouse.database.make_empty("found_means", {**columns, "value": "double"})
    orders = (*TIE_RULES, *_OTHER_ORDERS)
    seen: dict[int, str] = {}  # by the digest of ranks, or of ties, the first order that has it
    for done, order in enumerate(orders):
        progress("orders of documents", done, len(orders))
        try:
            _put_in_order(warehouse, runs, order)
        except InputError as error:
            if order == TIE_RULES[0]:
                raise
            left_out.append(f"tie rule {order}: {str(error).splitlines()[0]}")
            continue
        ((ranks, ties),) = warehouse.rows(warehouse.database.query("order_digest"))
        if same := seen.get(ties if order in _BY_SCORE else ranks):
            # The means are the same, and are not computed again.
            copied = f"select * replace ({literal(order)} as document_order) from temp.found_means"
            warehouse.database.insert("temp.found_means", f"{copied} where document_order = {literal(same)}")
        else:
            _add_means(warehouse, measures, order, losses)
        seen = {ranks: order, ties: order} | seen
    return left_out


def _add_judgments(warehouse: Warehouse) -> str:
    """Load the judgments with grades below 0 counting, if there are any, as two further sets; gives their gains."""
    below = warehouse.database.query("grades_below_zero")
    negative = warehouse.rows(f"select grade, stand_in from ({below}) order by grade desc")
    for name in ("zero", "losses") if negative else ():
        rows = warehouse.database.query("judgments_as_given", {"below_zero": below}, losses=name == "losses")
        warehouse.load_qrels(Query(rows, IN_MEMORY), name)
    return ",".join([*(f"{stand_in}={grade}" for grade, stand_in in negative), "*"]) if negative else ""


def _put_in_order(warehouse: Warehouse, runs: Sequence[str], order: str) -> None:
    """Load runs under a tie rule, or put those loaded by their lines in another order."""
    database = warehouse.database
    if order in TIE_RULES:
        sets = database.column("select qrels from qrels")
        warehouse.load_runs(runs, qrels=sets, tie_rule=order, replace=True, tells_remarks=order == TIE_RULES[0])
        return
    if order == _OTHER_ORDERS[0]:
        database.make("figure_lines", "select * from retrieved")
    database.execute_all(["delete from retrieved", "delete from judged_ranks"])
    lines = {"lines": "select * from temp.figure_lines"}
    database.insert("retrieved", warehouse.database.query("lines_in_order", lines, ties=order))
    rank_judged(database, warehouse.rows("select distinct qrels_id, run_id from evaluations"))


def _add_means(warehouse: Warehouse, measures: Sequence[Measure], order: str, losses: str) -> None:
    """Add the means of measures and of their variants to the table ``found_means``."""
    catalog = warehouse.catalog
    has_ties = order in _BY_SCORE and warehouse.rows("select 1 from retrieved where tied_above > 0 limit 1")
    asked = [each for each in measures if has_ties or each.arguments.get(TIES, TIE_RULE) == TIE_RULE]
    warehouse.evaluation.fill_scores("figure_answers", [(each.name, each) for each in asked])
    variants = [(each.name, found) for each in asked for found in _variants(catalog, each, losses)]
    for name, variant in grouped(catalog, variants):
        rows = relation_query(catalog, variant.relation.name, {}, **variant.arguments)
        named = f"{name} || '@' || chr(9) || variant as measure"
        warehouse.database.insert("temp.figure_answers", f"select qrels, run, topic, {named}, value from ({rows})")
    answers = {
        "figure_answers": "select * from temp.figure_answers",
        "figure_measures": rows_query("measure, rel", [(each.name, each.arguments.get("rel", 1)) for each in asked]),
        "answered": relation_query(catalog, "topic_answers"),
    }
    means = f"run, qrels as judgments, measure, {literal(order)} as document_order, ties as topics, value"
    rows = with_inputs(averaged(catalog), answers)
    warehouse.database.insert("temp.found_means", f"select {means} from ({rows})")


def _facts(measure: Measure) -> tuple[str, bool]:
    """The greatest value that a measure can have, and whether a grade below 0 may be a loss to it."""
    return measure.relation.header.range.split()[1], "dcg" in measure.arguments


def _variants(catalog: Catalog, measure: Measure, losses: str) -> Iterator[Measure]:
    """The relation of a measure's variants with its arguments, if there is one and it takes all that are given."""
    relation = catalog.relations.get(f"{measure.relation.name}_variants")
    if relation is None or measure.arguments[TIES] in ("worst", "best"):
        return
    taken = {each.name: measure.arguments[each.name] for each in relation.parameters}
    if all(each.name in taken or measure.arguments[each.name] == each.default for each in measure.relation.parameters):
        if losses and _facts(measure)[1] and taken[GAINS] is None:
            taken[GAINS] = losses
        yield Measure(relation, taken)
