"""From a relation's body to the statements that put it into a database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evalsql.catalog.header import CONTRACT, TIES, Parameter
from evalsql.catalog.measure_names import ANSWER_MEASURES, Measure, default_measure, parse_measures, tie_variants
from evalsql.catalog.queries import (
    ANSWERS,
    NO_SCORES,
    SCORES,
    STORED,
    averaged,
    bound,
    scores,
    tied_answers,
    with_inputs,
)
from evalsql.catalog.relations import AFTER_SCORES, BUILDABLE, STEPS, WITHOUT_VIEW, Catalog, Relation
from evalsql.catalog.sql_text import bind_parameters, in_schemas
from evalsql.literals import literal, literals, quoted

_LISTS = ("averaged_topics", "count_of", "coverage", "first_names", "holdings", "inventory")  # what remarks call too
# The order of the table relations: these, then kind by kind, with tables that have only keys at the end.
_FIRST = (
    *("scores", "summary", "inventory", "comparisons", "rankings", "judgments"),
    *("runs", "qrels", "topics", "files", "measures", "relations"),
)
_KINDS = (
    *("tables", "measures", "reports", "statistics", "boards", "judging", "calls", "costs", "fusion", "functions"),
    *(STEPS, "keys"),
)
# A measure's columns of the contract as what they must be; text that is read of bytes has no collation.
_TYPES = {
    name: "cast(value as double)" if name == "value" else f"decode(encode(cast({name} as varchar)))"
    for name in CONTRACT
}
_TYPED = ", ".join(f"{typed} as {name}" for name, typed in _TYPES.items())
SCORES_COMMENT = "The common measures at their default parameters, in long form, and all stored values"


def order(catalog: Catalog, *, few: bool = False) -> list[Relation]:
    """The relations that a warehouse has, each after all that it reads; ``few`` is what lists and leaderboards take."""
    common = [measure.relation.name for measure in common_measures(catalog)] if few else []
    common += [relation.name for relation in catalog.measures if relation.header.measure in ANSWER_MEASURES]
    built = catalog.build_order([*common, *_LISTS, STORED] if few else None)
    return [relation for relation in built if is_held(relation)]


def is_held(relation: Relation) -> bool:
    """Whether a relation is part of a file; one with other inputs is a template."""
    return {"mean_values", "tied_means"}.issuperset(relation.header.inputs)


def statements(catalog: Catalog, relations: Sequence[Relation]) -> Iterator[tuple[str, str]]:
    """What creates the views and macros of relations, and the view of scores, each with the place it is made from."""
    # Views that read scores are made while scores is empty. With all measures in it, planning each would take long.
    yield SCORES, f"create or replace view {SCORES} as\n{NO_SCORES}"
    for relation in sorted(relations, key=lambda each: each.kind in AFTER_SCORES):  # those name all measures
        yield from creating_statements(catalog, relation, temporary=False)
    yield from _scores_view(catalog, temporary=False)


def own_statements(catalog: Catalog, own: Sequence[Relation], *, temporary: bool = False) -> Iterator[tuple[str, str]]:
    """Statements that make a user's own relations, and remake the views that cover all measures."""
    names = [relation.name for relation in own]
    for relation in catalog.build_order(names):
        if relation.name in names:
            yield from creating_statements(catalog, relation, temporary=temporary)
    yield from _scores_view(catalog, temporary=temporary)
    tied = any(tie_variants(default_measure(relation)) for relation in own if relation.is_measure)
    for relation in order(catalog):
        # The view of ties takes a third of a second to make, and only changes if one of these measures knows ties.
        if "mean_values" in relation.header.inputs or (relation.header.inputs and (tied or not temporary)):
            yield from creating_statements(catalog, relation, temporary=temporary)


def creating_statements(catalog: Catalog, relation: Relation, *, temporary: bool) -> Iterator[tuple[str, str]]:
    """The statements that create one relation and its comments, each with the place it is made from."""
    described = [] if temporary else comments(catalog, relation)
    for statement in (*_relation(catalog, relation, temporary=temporary), *described):
        yield f"{relation.path}:{relation.body_line}", statement


def common_measures(catalog: Catalog) -> list[Measure]:
    """The measures whose values the view ``scores`` has."""
    common = [relation for relation in catalog.measures if relation.header.in_scores]
    at_cutoffs = [f"{relation.header.measure}@{at}" for relation in common if (at := relation.header.also_at)]
    return [*map(default_measure, common), *parse_measures(at_cutoffs, catalog)]


def _scores_view(catalog: Catalog, *, temporary: bool) -> Iterator[tuple[str, str]]:
    computed = scores(common_measures(catalog))
    stored = f"select qrels, run, topic, measure, value from {STORED}"
    yield SCORES, f"create or replace {'temp ' * temporary}view {SCORES} as\n{computed}\nunion all\n{stored}"
    if not temporary:
        listed = ", ".join(measure.name for measure in common_measures(catalog))
        yield SCORES, f"comment on view {SCORES} is {literal(f'{SCORES_COMMENT}: {listed}')}"
        for statement in _column_comments(SCORES, {**CONTRACT, "measure": "canonical name of the measure"}):
            yield SCORES, statement


def objects_of(relation: Relation) -> list[str]:
    """The objects made of a relation: a macro, a view or a table, or a table macro, most with a view beside it."""
    if relation.is_function:
        return ["macro"]
    # A macro reads what the query that calls it names scores, which a view does not.
    by_name = "query_table(" in relation.body or SCORES in relation.reads
    if not relation.parameters and not relation.is_measure and not by_name:
        return ["table" if relation.kind == "tables" else "view"]
    return ["macro table"] if relation.kind in WITHOUT_VIEW else ["macro table", "view"]


def _relation(catalog: Catalog, relation: Relation, *, temporary: bool) -> Iterator[str]:
    name = relation.name if temporary else created_name(catalog, relation)
    create = "create or replace temp" if temporary else "create or replace"
    objects = objects_of(relation)
    over_scores = _over_scores(catalog, relation) if relation.header.inputs else ""
    if "macro" in objects:
        body = bind_parameters(relation.body, _themselves(relation.parameters))
        yield f"{create} macro {name}({signature(relation.parameters)}) as (\n{body}\n)"
    if "macro table" in objects:
        taken = signature(relation.parameters, catalog.list_parameter(relation))
        body = over_scores or _macro_body(catalog, relation)
        if relation.is_measure and not relation.is_packaged:  # other types would become those of all measures
            body = f"select * replace ({_TYPED}) from (\n{body}\n)"
        yield f"{create} macro {name}({taken}) as table (\n{body}\n)"
    if objects == ["view"]:
        yield f"{create} view {name} as\n{over_scores or in_schemas(relation.body, catalog.schemas)}"
    elif "view" in objects:
        yield f"{create} view {name} as\nselect * from {name}()"


def _over_scores(catalog: Catalog, relation: Relation) -> str:
    """The body of a report over the values of the common measures, or of the one of them that is asked for."""
    given = {"answered": ANSWERS}
    if "tied_means" in relation.header.inputs:
        tied = {each.name: tied_answers(each) for each in common_measures(catalog) if tie_variants(each)}
        given = {quoted(f"tied {name}"): answers for name, answers in tied.items()}
        given["tied"] = "\nunion all\n".join(f"select * from {name}" for name in given)
        only = relation.parameters[0].name
        unknown = f"'{only} is ' || {only} || ', but must be a measure of scores with worst and best orders of ties'"
        # The name is known when a call is bound: no other measure is planned.
        one = f"when {only} in ({literals(tied)}) then 'tied ' || {only} else error({unknown}) end"
        given["answered"] = f"select * from query_table(case when {only} is null then 'tied' {one})"
    given |= dict.fromkeys(relation.header.inputs, averaged(catalog))
    return with_inputs(bound(catalog, relation, _themselves(relation.parameters)), given)


def _macro_body(catalog: Catalog, relation: Relation) -> str:
    """What a table macro gives: the rows of its body, with a column for the values of a list that is given.

    Arguments are checked when a call is bound: a condition is never tried where there are no rows.
    """
    itself = _themselves(relation.parameters)
    of_list = catalog.list_parameter(relation)
    checks = [_check(each, of_list) for each in relation.parameters if each.allowed and relation.kind != STEPS]
    body = _in_order(catalog, relation, itself)
    if not (of_list and relation.is_measure):
        checked = f"coalesce({', '.join([*checks, literal('checked')])})"
        return f"with checked as (\n{body}\n)\nselect * from query_table({checked})" if checks else body
    as_list = with_list(catalog, relation, itself)
    alone = "of_each" if as_list == itself else f"(\n{_in_order(catalog, relation, as_list)}\n)"
    form = f"case when typeof({of_list}) like '%[]' then 'of_each' else 'alone' end"
    return (
        f"with of_each as (\n{body}\n), alone as (select * exclude ({of_list}) from {alone})\n"
        f"select * from query_table(coalesce({', '.join([*checks, form])}))"
    )


def _in_order(catalog: Catalog, relation: Relation, arguments: Mapping[str, str]) -> str:
    """The body, or the rows of the relation that the header names for an order of ties."""
    body = bound(catalog, relation, arguments)
    if not (given := relation.header.ties):
        return body
    ctes, cases = [f"by_rule as (\n{body}\n)"], []
    for name in dict.fromkeys(given.values()):
        taken = {parameter.name for parameter in catalog[name].parameters}
        passed = ", ".join(f"{key} := {value}" for key, value in arguments.items() if key in taken)
        call = created_name(catalog, catalog[name]) + (f"({passed})" if taken else "")
        ctes.append(f"{name} as (select * from {call})")
        orders = literals(key for key in given if given[key] == name)
        cases.append(f"when {TIES} in ({orders}) then {literal(name)}")
    # The name is known when a call is bound, and a CTE that nothing reads is not: no other order is planned.
    return f"with {', '.join(ctes)}\nselect * from query_table(case {' '.join(cases)} else 'by_rule' end)"


def with_list(catalog: Catalog, relation: Relation, arguments: Mapping[str, str]) -> Mapping[str, str]:
    """Arguments for a body that is given one value: a measure that it reads has the column only if given a list."""
    name = catalog.list_parameter(relation)
    reads_measure = any(each in catalog.relations and catalog[each].is_measure for each in relation.reads)
    return {**arguments, name: f"[{arguments[name]}]"} if name and reads_measure else arguments


def _check(parameter: Parameter, of_list: str) -> str:
    """A call that checks an argument: null for a value that the parameter takes, an error for any other."""
    name = parameter.name
    if parameter.choices:
        return f"check_word({name}, '{name}', {literal(', '.join(parameter.choices))})"
    # As texts, of which the engine makes doubles: to DuckDB 1.5 a number with a point is a decimal one.
    ends = literals(repr(end).removesuffix(".0") for end in parameter.ends)
    expected = literal(f"{parameter.allowed}{' or null' * parameter.nullable}")
    return f"check_number{'s' * (name == of_list)}({name}, '{name}', {ends}, {expected})"


def created_name(catalog: Catalog, relation: Relation) -> str:
    """The name by which a relation is made and found, with its schema where that is not the main one."""
    schema = catalog.schemas.get(relation.name)
    return f"{schema}.{relation.name}" if schema else relation.name


def signature(parameters: Sequence[Parameter], untyped: str = "") -> str:
    types = {each.name: "" if each.name == untyped or each.type == "any" else f" {each.type}" for each in parameters}
    return ", ".join(f"{each.name}{types[each.name]} := {literal(each.default)}" for each in parameters)


def _themselves(parameters: Sequence[Parameter]) -> dict[str, str]:
    return {parameter.name: parameter.name for parameter in parameters}


def comments(catalog: Catalog, relation: Relation) -> Iterator[str]:
    """COMMENT ON for the relation and each of its columns; those of a macro without a view stand in its own.

    Where there are both, the view's says what the values are, the macro's what they can be asked with. A step has its
    columns alone: what it is asked with is described by the measures that ask it, and every file holds these texts.
    """
    header = relation.header
    name = created_name(catalog, relation)
    objects = objects_of(relation)
    title = ("", f"{header.measure}: {header.title}" if relation.is_measure else header.title)
    taken = ("Parameters: ", "; ".join(f"{item.name}: {item.meaning}" for item in header.parameters))
    columns = ("Columns: ", "; ".join(f"{column}: {text}" for column, text in relation.columns.items()))
    meaning = [("Definition: ", header.definition), ("Reference: ", header.reference), ("Differs: ", header.differs)]
    facts = {each: [title, taken, *meaning] for each in objects}
    if relation.kind == STEPS:
        facts = {each: [title, columns] for each in objects}
    elif objects == ["macro table"]:
        facts["macro table"].insert(2, columns)
    elif "macro table" in objects:
        facts = {"macro table": [title, taken], "view": [title, *meaning]}
    for each, said in facts.items():
        comment = "\n".join(label + fact for label, fact in said if fact)
        yield f"comment on {each} {name} is {literal(comment)}"
    if objects[-1] in ("table", "view"):
        yield from _column_comments(name, relation.columns)


def _column_comments(relation: str, columns: Mapping[str, str]) -> Iterator[str]:
    for column, meaning in columns.items():
        yield f"comment on column {relation}.{quoted(column)} is {literal(meaning)}"


def relation_rows(catalog: Catalog) -> list[tuple[str, str, str]]:
    """The rows of the table ``relations``, in the order of its columns; what to begin with is on top."""
    rows = [(SCORES, "reports", SCORES_COMMENT)]
    for each in sorted(catalog.of_kind(*BUILDABLE, "tables"), key=lambda each: not each.header.in_scores):
        if is_held(each):
            has_keys = each.kind == "tables" and each.name not in _FIRST
            rows.append((each.name, "keys" if has_keys else each.kind, each.header.title))
    return sorted(rows, key=lambda row: ((*_FIRST, row[0]).index(row[0]), _KINDS.index(row[1])))


def catalogue_rows(measures: Iterable[Relation]) -> list[tuple[str, ...]]:
    """The rows of the table ``measures``, in the order of its columns."""
    return [
        (
            relation.header.measure,
            relation.name,
            relation.header.title,
            ", ".join(dict.fromkeys(alias.name for alias in (*relation.header.aliases, *relation.header.trec_eval))),
            ", ".join(f"{item.name} = {literal(item.default)}" for item in relation.parameters),
            relation.header.definition,
            relation.header.reference,
            relation.header.differs,
            relation.header.range,
            relation.header.mean,
            "; ".join(relation.header.examples),
        )
        for relation in measures
    ]
