"""The portable core: the SQL that DuckDB, Spark, DataFusion and PostgreSQL run alike.

ClickHouse does too with join_use_nulls = 1, and as long as columns of joined tables are named by "as". What is
not listed here is refused; a form is added when it was seen to give the same on those engines.
"""

from collections.abc import Collection

from sqlglot import exp

from evalsql.catalog.relations import Relation

CLAUSES = {
    *("Select", "From", "Where", "Group", "Having", "Order", "Ordered", "With", "CTE", "Join", "Union", "Distinct"),
    *("Subquery", "Table", "TableAlias", "Alias", "Column", "Identifier", "Star", "Tuple", "Values", "Paren"),
    *("Placeholder", "PropertyEQ", "Window", "WindowSpec", "Qualify", "Filter"),
}
EXPRESSIONS = {
    *("Literal", "Null", "Boolean", "Var", "Cast", "DataType", "DataTypeParam", "Case", "If", "Neg", "Not", "And"),
    *("Add", "Sub", "Mul", "Div", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Is", "In", "Between", "Exists", "DPipe"),
    *("Or", "NullSafeNEQ", "NullSafeEQ"),
}
FUNCTIONS = {
    *("Coalesce", "Nullif", "Greatest", "Least", "Abs", "Ln", "Log", "Exp", "Pow", "Sqrt", "Round", "Floor", "Ceil"),
    *("Count", "Sum", "Min", "Max", "Avg", "RowNumber", "Lag", "Lead", "FirstValue", "LastValue", "Ntile", "Rank"),
    *("Substring", "StrPosition", "Length", "Replace", "Upper", "Lower", "Trim", "Concat"),
}
JOINS = {"", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"}


def outside_the_core(relation: Relation, functions: Collection[str] = ()) -> list[str]:
    """What the body holds beyond the core, each thing by name; empty if nothing.

    ``functions`` are those of ours that keep to the core themselves: each is one expression, which can be written out.
    """
    found = []
    for node in relation.tree().walk():
        name = type(node).__name__
        if isinstance(node, exp.Anonymous):
            # Another relation's macro, which is part of the contract, stands only where a table does.
            if not isinstance(node.parent, exp.Table) and node.name not in {*functions, "fsum", "product"}:
                found.append(f"function {node.name}")
        elif name not in CLAUSES | EXPRESSIONS | FUNCTIONS:
            found.append(name)
        found += _odd_form(node)
    return found


def _odd_form(node: exp.Expr) -> list[str]:
    """Forms of allowed nodes that some engine reads otherwise."""
    if isinstance(node, exp.Join):
        kinds = {str(node.args.get(part) or "").upper() for part in ("side", "kind", "method")}
        return [f"{' '.join(sorted(kinds - JOINS))} JOIN"] if kinds - JOINS else []
    if isinstance(node, exp.Group) and node.args.get("all"):
        return ["GROUP BY ALL"]
    if isinstance(node, exp.Log) and not node.expression:
        return ["Log"]  # to base 10 or e
    if isinstance(node, exp.Star) and any(node.args.get(part) for part in ("except_", "except", "replace", "rename")):
        return ["EXCLUDE"]
    if isinstance(node, exp.Lag | exp.Lead) and node.args.get("offset"):
        return ["offset of LAG or LEAD"]  # DuckDB 1.5 cannot read it in a file that 2.0 wrote
    if isinstance(node, exp.Window) and isinstance(node.this, exp.Filter):
        return ["FILTER with OVER"]
    if isinstance(node, exp.AggFunc) and node.find(exp.Order):
        return ["ORDER BY in an aggregate"]
    return []
