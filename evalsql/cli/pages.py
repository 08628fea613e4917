"""The page of one measure: what it is, what it takes, where it is from and what differs from whom."""

from __future__ import annotations

from evalsql.catalog import ddl
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import Catalog, Relation
from evalsql.report.terminal import printable


def print_page(catalog: Catalog, relation: Relation) -> None:
    """Print the facts of the catalogue row, the parameters and the SQL."""
    columns = list(catalog["measures"].columns)
    (row,) = ddl.catalogue_rows([relation])
    width = max(map(len, columns)) + 2
    for key, fact in zip(columns, row, strict=True):
        if fact and key != "parameters":
            print(f"{key:{width}}{printable(fact)}")
    for parameter in relation.parameters:
        domain = f" in {parameter.domain}" if parameter.domain else ""
        label = f"{parameter.name} {parameter.type}{domain} = {literal(parameter.default)}"
        print(f"{'parameter':{width}}{label}: {printable(parameter.meaning)}")
    for order, name in relation.header.ties.items():
        print(f"{'ties':{width}}{order}: {name}, {catalog[name].header.title}")
    print(f"\n{printable(relation.body)}")
