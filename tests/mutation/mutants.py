"""Small changes to a relation's body, each of which a test should notice: made on its syntax tree."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlglot import exp

from evalsql.catalog.relations import Relation

Change = Callable[[Any], object]
_PAIRS: tuple[tuple[type[exp.Expr], type[exp.Expr]], ...] = (
    *((exp.GT, exp.GTE), (exp.LT, exp.LTE), (exp.EQ, exp.NEQ), (exp.Add, exp.Sub), (exp.Mul, exp.Div)),
    (exp.And, exp.Or),
    *((exp.Greatest, exp.Least), (exp.Max, exp.Min), (exp.Lead, exp.Lag), (exp.FirstValue, exp.LastValue)),
    (exp.Floor, exp.Ceil),
)
_SWAPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.Sum: exp.Max,
    exp.Avg: exp.Max,
    **dict(_PAIRS),
    **{two: one for one, two in _PAIRS},
}


@dataclass(frozen=True)
class Mutant:
    """A relation with one change, which ``what`` describes. ``key`` stands for its text."""

    relation: Relation
    what: str

    @property
    def key(self) -> str:
        return hashlib.sha256(f"{self.relation.name}\n{self.relation.body}".encode()).hexdigest()[:16]


def unchanged(relation: Relation) -> Relation:
    """The relation as the syntax tree writes it, which must give the same values."""
    return replace(relation, body=_text(relation.tree()))


def mutants(relation: Relation) -> Iterator[Mutant]:
    """Every mutant, each with another text."""
    tree = relation.tree()
    seen = {_text(tree)}
    for place, node in enumerate(tree.walk()):
        for what, change in _changes(node):
            copy = tree.copy()
            change(list(copy.walk())[place])
            text = _text(copy)
            if text not in seen:
                seen.add(text)
                yield Mutant(replace(relation, body=text), what)


def _text(tree: exp.Expr) -> str:
    # Names of relations are found behind "from" and "join" whatever their case, those of windows are not.
    return str(tree.sql(dialect="duckdb", comments=False)).lower()


def _changes(node: exp.Expr) -> Iterator[tuple[str, Change]]:
    shown = " ".join(_text(node).split())
    shown = shown if len(shown) <= 90 else f"{shown[:87]}..."
    swapped = _SWAPPED.get(type(node))
    if swapped is not None and not _joins_columns(node):
        yield f"{type(node).__name__} to {swapped.__name__} in {shown}", lambda found: _swap(found, swapped)
    if isinstance(node, exp.And | exp.Or):
        yield f"only the left of {shown}", lambda found: _put(found, found.this)
        yield f"only the right of {shown}", lambda found: _put(found, found.expression)
    if isinstance(node, exp.Literal) and not node.is_string and not _is_only_counted(node):
        number = f"{node.this} + 1" if "." in node.this or "e" in node.this else str(int(node.this) + 1)
        within = " ".join(_text(node.parent).split())[:80] if node.parent else ""
        yield f"{node.this} to {number} in {within}", lambda found: _put(found, exp.Literal.number(number))
    if isinstance(node, exp.Boolean):
        yield f"{shown} to its contrary", lambda found: _put(found, exp.Boolean(this=not found.this))
    if isinstance(node, exp.Not | exp.Neg | exp.Abs):
        yield f"without {type(node).__name__} in {shown}", lambda found: _put(found, found.this)
    if isinstance(node, exp.Coalesce | exp.Nullif):
        yield f"only the first of {shown}", lambda found: _put(found, found.this)
    if isinstance(node, exp.Case):
        yield from _case_changes(node, shown)
    if isinstance(node, exp.Join) and node.side == "LEFT":
        yield f"inner join in {shown}", lambda found: found.set("side", None)
    elif isinstance(node, exp.Join) and node.args.get("on") and not node.side:
        yield f"left join in {shown}", lambda found: found.set("side", "LEFT")
    if isinstance(node, exp.Ordered):
        yield f"the other way round: {shown}", lambda found: found.set("desc", not found.args.get("desc"))
    if isinstance(node, exp.Window):
        yield from _window_changes(node, shown)
    if isinstance(node, exp.Where):
        yield f"without {shown}", lambda found: found.pop()
    if isinstance(node, exp.Filter):
        yield f"without filter in {shown}", lambda found: _put(found, found.this)
    if isinstance(node, exp.Select) and node.args.get("distinct"):
        yield f"without distinct in {shown}", lambda found: found.set("distinct", None)
    if isinstance(node, exp.Distinct) and isinstance(node.parent, exp.Count):
        yield f"without distinct in {shown}", lambda found: _put(found, found.expressions[0])


def _case_changes(case: exp.Expr, shown: str) -> Iterator[tuple[str, Change]]:
    branches = case.args["ifs"]
    for nth in range(len(branches)):
        if len(branches) > 1:
            yield f"without branch {nth + 1} of {shown}", partial(_without_branch, nth)
        else:
            yield f"only else of {shown}", lambda found: _put(found, found.args.get("default") or exp.Null())
        yield f"always branch {nth + 1} of {shown}", partial(_only_branch, nth)


def _without_branch(nth: int, case: exp.Expr) -> None:
    case.args["ifs"][nth].pop()


def _only_branch(nth: int, case: exp.Expr) -> None:
    _put(case, case.args["ifs"][nth].args["true"])


def _window_changes(window: exp.Expr, shown: str) -> Iterator[tuple[str, Change]]:
    for nth in range(len(window.args.get("partition_by") or ())):
        yield f"without part {nth + 1} of the partition: {shown}", partial(_without_part, nth)
    spec = window.args.get("spec")
    if spec is not None:
        # Without a frame the sum down to a rank is the same, as no two documents have one rank.
        if spec.args.get("start") == "UNBOUNDED":
            yield f"frame from the row before: {shown}", lambda found: _start_at_one(found.args["spec"])
        if spec.args.get("end") == "CURRENT ROW":
            yield f"frame to the end: {shown}", lambda found: _end_unbounded(found.args["spec"])


def _start_at_one(spec: exp.Expr) -> None:
    spec.set("start", exp.Literal.number(1))


def _end_unbounded(spec: exp.Expr) -> None:
    spec.set("end", "UNBOUNDED")
    spec.set("end_side", "FOLLOWING")


def _without_part(nth: int, window: exp.Expr) -> None:
    window.args["partition_by"][nth].pop()


def _joins_columns(node: exp.Expr) -> bool:
    """Whether it is a condition on two columns, the contrary of which joins nearly all rows with all others."""
    return isinstance(node, exp.EQ) and all(isinstance(side, exp.Column) for side in (node.this, node.expression))


def _is_only_counted(literal: exp.Expr) -> bool:
    """Whether it stands in count(case when ... then 1 end), where any other number does the same."""
    branch = literal.parent
    if not isinstance(branch, exp.If) or branch.args["true"] is not literal:
        return False
    return isinstance(branch.parent, exp.Case) and isinstance(branch.parent.parent, exp.Count)


def _put(node: exp.Expr, other: exp.Expr) -> None:
    node.replace(exp.Paren(this=other.copy()) if isinstance(other, exp.Binary) else other.copy())


def _swap(node: exp.Expr, kind: type[exp.Expr]) -> None:
    node.replace(kind(**{name: value for name, value in node.args.items() if name in kind.arg_types}))
