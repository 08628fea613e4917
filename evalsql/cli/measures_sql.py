"""``evalsql measures``, ``compile``, ``sql`` and ``shell``: the catalogue, its SQL, and SQL of the user."""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal, cast, get_args

from evalsql.catalog import PACKAGE, ddl
from evalsql.catalog.measure_names import default_measure, parse_measures
from evalsql.catalog.relations import Catalog, Relation, read_catalog, read_relation
from evalsql.cli import tell
from evalsql.cli.declare import Names, argument, command, flag, meant_word, option
from evalsql.cli.options import Asking, Statements
from evalsql.cli.output import DIGITS, FORMAT, Format, OutputOptions, note, write_answer, write_table
from evalsql.cli.sql_completion import Known, Vocabulary, is_blank, is_command, known_in, split
from evalsql.database.disk import whole_file
from evalsql.database.quack import is_address
from evalsql.errors import EvalsqlError, UsageError
from evalsql.literals import literal
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns, printable
from evalsql.warehouse.own_measures import read_sources
from evalsql.warehouse.warehouse import Warehouse
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


# The shell

_FORMATS: tuple[Format, ...] = get_args(Format)
_COMMANDS = (".help", ".all", ".tables", ".measures", ".format", ".digits", ".quit", ".exit")
_COLUMNS = "select table_name, list(column_name) from duckdb_columns() where not internal group by table_name"


class Session:
    """Runs statements and commands, and remembers how their rows are to be written."""

    def __init__(self, warehouse: Warehouse, output: OutputOptions, asking: Statements) -> None:
        self.warehouse = warehouse
        self.output = output
        self.limit = asking.limit
        self.writer = Writer(warehouse.database, external=asking.external)
        self.is_over = False

    def run(self, text: str) -> None:
        """Run a command, or a statement and print its rows; raises EvalsqlError where one is refused."""
        if is_command(text):
            name, _, given = text.strip().removesuffix(";").partition(" ")
            self._run_command("." + name.strip().lower().removeprefix("."), given.strip())
        else:
            write_answer(self.writer, text, self.output, self.warehouse, self.limit)

    @property
    def vocabulary(self) -> Vocabulary:
        known: dict[str, Known] = {}
        with suppress(EvalsqlError):  # in a transaction that has failed
            known = {name: Known("made here", columns) for name, columns in self.warehouse.rows(_COLUMNS)}
        measures = [relation.header.measure for relation in self.warehouse.catalog.measures]
        words: dict[str, Sequence[str]] = {".format": list(_FORMATS), ".measures": measures}
        commands = {name: words.get(name, ()) for name in _COMMANDS}
        return Vocabulary({**known, **known_in(self.warehouse.catalog)}, commands)

    def _run_command(self, name: str, given: str) -> None:
        match name:
            case ".help":
                text = Path(__file__).with_name("shell_help.txt").read_text(encoding="utf-8")
                print(text.format(formats=", ".join(_FORMATS)), end="")
            case ".all":
                self.limit = 0
            case ".tables":
                self._print_tables(given)
            case ".measures":
                print_measures(self.warehouse.catalog, given or None, self.output)
            case ".format" if not given:
                note(self.output.format or "table")
            case ".format":
                if (meant := meant_word(given, _FORMATS)) is None:
                    raise UsageError(f'unknown format "{given}"; there are: {", ".join(_FORMATS)}')
                self.output = replace(self.output, format=cast("Format", meant))
            case ".digits" if given:
                if not (given.isdecimal() and int(given) <= 17):
                    raise UsageError(f'.digits takes 0 to 17, not "{given}"')
                self.output = replace(self.output, digits=int(given))
            case ".digits":
                note(str(self.output.digits))
            case ".quit" | ".exit":
                self.is_over = True
            case _:
                raise UsageError(f"unknown command {name}; there are: {', '.join(_COMMANDS)}")

    def _print_tables(self, pattern: str) -> None:
        kinds = dict(self.warehouse.rows("select relation, kind from relations"))
        known = self.vocabulary.known
        found = [(name, kinds.get(name, "tables"), known[name].title) for name in {**kinds, **known} if name in known]
        shown = [row for row in found if (fnmatch(row[0], pattern) if pattern else row[1] not in ("steps", "measures"))]
        write_table(Table(("relation", "kind", "title"), shown), self.output, self.warehouse)
        if not pattern:
            note(f"{len(found) - len(shown)} measures and steps of measures: .measures, or .tables *")


@command
def shell(*, output_format: Format | None = FORMAT, digits: int = DIGITS, asking: Statements) -> None:
    """Ask in SQL, statement by statement, with completion.

    It keeps a history; .help shows what else it knows. Where standard input is no terminal the statements on it are
    run, up to the first that fails.

    Example: evalsql shell --write
    """
    with asking.open_for_sql() as warehouse:
        session = Session(warehouse, OutputOptions(output_format, None, digits), asking)
        if sys.stdin.isatty():
            access = "read and write" if asking.write else "read only; --write lets statements change it"
            note(f"{warehouse.path}, {access}. Statements end with ; and .help shows commands.")
            from evalsql.cli.prompt import read_statements

            for text in read_statements(lambda: session.vocabulary):
                try:
                    session.run(text)
                except EvalsqlError as error:
                    tell(error)
                except KeyboardInterrupt:
                    tell("interrupted")
                if session.is_over:
                    break
            return
        for text in _statements(standard_input()):
            if not session.is_over:
                session.run(text)


def _statements(script: str) -> Iterator[str]:
    """The statements and commands of a script; a command has a line of its own."""
    pending = ""
    for line in script.splitlines(keepends=True):
        if is_blank(pending) and is_command(line):
            yield line
            continue
        statements, pending = split(pending + line)
        yield from statements
    if not is_blank(pending):
        yield pending
