"""``evalsql measures``, ``compile`` and ``sql``: the catalogue, its SQL, and SQL of the user."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from evalsql.catalog import PACKAGE, ddl
from evalsql.catalog.measure_names import default_measure, literal, parse_measures
from evalsql.catalog.relations import Catalog, Relation, read_catalog, read_relation
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.options import Asking, Statements
from evalsql.cli.output import OutputOptions, note, write_answer, write_table
from evalsql.database.disk import whole_file
from evalsql.database.quack import is_address
from evalsql.errors import UsageError
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns, printable
from evalsql.warehouse.own_measures import read_sources
from evalsql.warehouse.writer import Writer

_LISTED = ("measure", "title", "aliases", "parameters")


@command
def measures(
    *,
    name: str | None = argument("A measure, by any of its names, or a word to search for.", complete="measures"),
    new: str | None = option("--new NAME", "Write a file with a measure of this name, to start your own from."),
    output: OutputOptions,
    asking: Asking,
) -> None:
    """The catalogue of measures, or the page of one.

    It has the measures of the package, of the warehouse if there is one, and your own, by family. A word that is no
    measure's name lists those that have it in a name, the title or the family, such as graded.

    Example: evalsql measures nDCG
    """
    if new is None:
        print_measures(_known_catalog(asking), name, output)
    else:
        _write_new(new)


def _write_new(name: str) -> None:
    """Write a measure that works into a new file in this folder, called as its relation is."""
    relation = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-+]", "_", name).lower()
    path = Path(f"{relation}.sql")
    text = (PACKAGE / "docs" / "new_measure.sql").read_text(encoding="utf-8").replace("NewMeasure", name)
    read_catalog().extended([read_relation(path, text)])  # which says what is wrong with the name
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path}: exists already; choose another name") from error
    note(f"wrote {path}; evalsql eval QRELS RUN -m {name} --measure-file {path} tries it")


@command
def compile(
    *,
    names: Names = argument('Measures such as nDCG@10 or "AP(rel=2)".', complete="measures"),
    every: bool = flag("--all", "All measures at their defaults."),
    dialect: Literal["spark", "databricks", "postgres", "datafusion", "sqlite", "duckdb"] = option(
        "--dialect", "The engine that is to run it.", ...
    ),
    folder: Path | None = option("--output -o DIR", "Write a file for each measure here."),
    asking: Asking,
) -> None:
    """Write measures as SQL for another engine.

    Each is one SELECT over the base tables. What an engine cannot carry is refused, with construct and reason.

    Example: evalsql compile nDCG@10 --dialect postgres
    """
    from evalsql.engines.compiling import compile_measures

    if every == bool(names):
        raise UsageError("name the measures to compile, or give --all")
    catalog = _known_catalog(asking)
    measures = parse_measures(names, catalog) if names else [default_measure(each) for each in catalog.measures]
    compiled, refused = compile_measures(catalog, measures, dialect)
    if refused and not every:
        raise UsageError("\n".join(f"{name}: {reason}" for name, reason in refused.items()))
    if folder is None:
        sys.stdout.write(";\n\n".join(text.rstrip("\n") for text in compiled.values()) + "\n")
    else:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
        for name, text in compiled.items():
            with whole_file(folder / name) as stream:
                stream.write(text.encode())
    note(*(f"{name} is left out: {reason}" for name, reason in refused.items()))
    if folder is not None:
        note(f"{len(compiled)} of {len(measures)} measures are in {folder}")


def _known_catalog(asking: Asking) -> Catalog:
    """The catalogue of the warehouse, or of the package where there is none by default."""
    if asking.db is None and not is_address(asking.path) and not Path(asking.path).exists():
        return read_catalog().extended(read_sources(asking.paths))
    with asking.open() as warehouse:
        return warehouse.catalog


def print_measures(catalog: Catalog, name: str | None, output: OutputOptions) -> None:
    """Print the catalogue, those measures that have a word in a name, the title or the family, or the page of one."""
    as_page = output.format is None and output.path is None
    listed: Sequence[Relation] = catalog.measures
    if name is not None:
        try:
            listed = [parse_measures([name], catalog)[0].relation]
            if as_page:
                print_page(catalog, listed[0])
                return
        except UsageError:
            word = name.strip().casefold()
            texts = ["\n".join((each.family, *ddl.catalogue_rows([each])[0][:4])) for each in listed]
            listed = [each for each, text in zip(listed, texts, strict=True) if word and word in text.casefold()]
            if not listed:
                raise
    columns: Sequence[str] = list(catalog["measures"].columns)
    table = Table(columns, ddl.catalogue_rows(listed), whole=frozenset({"family", "measure"}))
    if as_page:
        rows = sorted(zip([each.family for each in listed], table.rows, strict=True), key=lambda pair: pair[0])
        families = [family for family, _ in rows]
        firsts = [family if at == families.index(family) else "" for at, family in enumerate(families)]
        brief = table._replace(rows=[row for _, row in rows]).with_columns([columns.index(each) for each in _LISTED])
        table = brief.with_column(0, "family", firsts)
        note("evalsql measures NAME shows one with its SQL; --format csv or json gives every column of all")
    write_table(table, output, None, DroppedColumns(spare=("parameters", "aliases")))


def print_page(catalog: Catalog, relation: Relation) -> None:
    columns = list(catalog["measures"].columns)
    (row,) = ddl.catalogue_rows([relation])
    facts = [(key, fact) for key, fact in zip(columns, row, strict=True) if fact and key != "parameters"]
    for each in relation.parameters:
        domain = f" in {each.domain}" if each.domain else ""
        facts.append(("parameter", f"{each.name} {each.type}{domain} = {literal(each.default)}: {each.meaning}"))
    for order, name in relation.header.ties.items():
        facts.append(("ties", f"{order}: {name}, {catalog[name].header.title}"))
    facts.extend([("holes", relation.header.holes)] if relation.header.holes else [])
    width = max(map(len, columns)) + 2
    for key, fact in facts:
        print(f"{key:{width}}{printable(fact)}")
    print(f"\n{printable(relation.body)}")


@command
def sql(
    *, query: str = argument("SQL; - reads it from standard input.", ...), output: OutputOptions, asking: Statements
) -> None:
    """Ask the warehouse anything in SQL.

    Every measure is a view (FROM ap) and a macro (FROM ndcg(k := 10)).

    Example: evalsql sql "from ndcg(k := 5) order by value limit 3"
    """
    text = standard_input() if query == "-" else query
    with asking.open_for_sql() as warehouse:
        write_answer(Writer(warehouse.database, external=asking.external), text, output, warehouse, asking.limit)
        if "SELECT" in [kind for kind, _ in warehouse.database.statements(text)][:-1]:
            note("only the rows of the last statement are written; evalsql shell writes those of each")


def standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text: {error}") from error
