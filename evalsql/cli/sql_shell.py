"""``evalsql sql`` and ``shell``: statements of the user's own, from the command line or line by line."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import cast, get_args

from evalsql.cli.access import Statements
from evalsql.cli.measures_compile import print_measures
from evalsql.cli.options import DIGITS, FORMAT, Format, OutputOptions, argument, command, meant_word
from evalsql.cli.output import note, write_table
from evalsql.cli.sql_completion import Known, Vocabulary, is_blank, known_in, split
from evalsql.errors import EvalsqlError, UsageError
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse
from evalsql.warehouse.writer import Writer

_FORMATS: tuple[Format, ...] = get_args(Format)
_HELP = """\
.help             this
.tables [GLOB]    relations, by default those that are no measures and no steps of measures
.measures [NAME]  the catalogue of measures, or the page of one
.format [FORMAT]  how rows are written: {formats}
.digits [N]       decimals, where people read
.quit             end, as Ctrl-D does

A statement ends with ; and may have several lines. Every measure is a view (from ap;) and a macro
(from ndcg(k := 10);). Tab completes relations, columns and parameters of macros, Ctrl-C drops the line or stops
what runs."""
_STEPS = ("steps", "measures")


class Session:
    """Runs statements and commands, and remembers how their rows are to be written."""

    def __init__(self, warehouse: Warehouse, output_format: Format | None, digits: int, *, external: bool) -> None:
        self.warehouse = warehouse
        self.output_format = output_format
        self.digits = digits
        self.writer = Writer(warehouse.database, external=external)
        self.is_over = False
        self._own: dict[str, Known] | None = None
        self.commands: dict[str, Callable[[str], None]] = {
            ".help": self._help,
            ".tables": self._tables,
            ".measures": self._measures,
            ".format": self._format,
            ".digits": self._digits,
            ".quit": self._quit,
            ".exit": self._quit,
        }

    def run(self, text: str) -> None:
        """Run a command, or a statement and print its rows.

        Raises:
            EvalsqlError: it does not fit, or the engine refuses it.
        """
        if text.lstrip().startswith("."):
            name, _, argument = text.strip().removesuffix(";").partition(" ")
            if name not in self.commands:
                raise UsageError(f"unknown command {name}; there are: {', '.join(self.commands)}")
            self.commands[name](argument.strip())
            return
        try:
            columns, rows = self.writer.run(text)
        finally:
            self._own = None
        if columns:
            self._print(Table(columns, rows))

    @property
    def vocabulary(self) -> Vocabulary:
        """What can be completed: the catalogue, and what users made beside it."""
        if self._own is None:
            self._own = self._found()
        measures = [relation.header.measure for relation in self.warehouse.catalog.measures]
        words: dict[str, Sequence[str]] = {".format": list(_FORMATS), ".measures": measures}
        return Vocabulary(
            {**self._own, **known_in(self.warehouse.catalog)},
            {name: words.get(name, ()) for name in self.commands},
        )

    def _found(self) -> dict[str, Known]:
        columns: dict[str, list[str]] = {}
        try:
            rows = self.warehouse.rows("select table_name, column_name from duckdb_columns() where not internal")
        except EvalsqlError:  # in a transaction that has failed
            rows = []
        for name, column in rows:
            columns.setdefault(name, []).append(column)
        return {name: Known("made here", found) for name, found in columns.items()}

    @property
    def _output(self) -> OutputOptions:
        return OutputOptions(self.output_format, None, self.digits)

    def _print(self, table: Table) -> None:
        write_table(table, self._output, self.warehouse)

    # Commands

    def _help(self, argument: str) -> None:
        print(_HELP.format(formats=", ".join(_FORMATS)))

    def _tables(self, pattern: str) -> None:
        kinds = dict(self.warehouse.rows("select relation, kind from relations"))
        found = [(name, kinds.get(name, "tables"), each.title) for name, each in self.vocabulary.known.items()]
        shown = [row for row in found if (fnmatch.fnmatch(row[0], pattern) if pattern else row[1] not in _STEPS)]
        self._print(Table(("relation", "kind", "title"), sorted(shown, key=lambda row: (row[1], row[0]))))
        if not pattern:
            note(f"{len(found) - len(shown)} measures and steps of measures: .measures, or .tables *")

    def _measures(self, name: str) -> None:
        print_measures(self.warehouse.catalog, name or None, self._output)

    def _format(self, name: str) -> None:
        found = meant_word(name, _FORMATS)
        if name and found is None:
            raise UsageError(f'unknown format "{name}"; there are: {", ".join(_FORMATS)}')
        if name:
            self.output_format = cast("Format", found)
        else:
            note(self.output_format or "table")

    def _digits(self, number: str) -> None:
        if number and not (number.isdecimal() and int(number) <= 17):
            raise UsageError(f'"{number}" is no number of decimals: expected 0 to 17')
        if number:
            self.digits = int(number)
        else:
            note(str(self.digits))

    def _quit(self, argument: str) -> None:
        self.is_over = True


@command
def sql(
    *,
    query: str = argument("SQL; - reads it from standard input.", ...),
    output: OutputOptions,
    asking: Statements,
) -> None:
    """Ask the warehouse anything in SQL.

    Every measure is a view (FROM ap) and a macro (FROM ndcg(k := 10)).

    Example: evalsql sql "from ndcg(k := 5) order by value limit 3"
    """
    try:
        text = sys.stdin.buffer.read().decode("utf-8") if query == "-" else query
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text: {error}") from error
    with asking.open_for_sql() as warehouse:
        columns, rows = Writer(warehouse.database, external=asking.external).run(text)
        if columns:
            write_table(Table(columns, rows), output, warehouse)
        if "SELECT" in [kind for kind, _ in warehouse.database.statements(text)][:-1]:
            note("only the rows of the last statement are written; evalsql shell writes those of each")


@command
def shell(
    *,
    output_format: Format | None = FORMAT,
    digits: int = DIGITS,
    asking: Statements,
) -> None:
    """Ask in SQL, statement by statement, with completion.

    It keeps a history; .help shows what else it knows.

    Where standard input is no terminal the statements on it are run, up to the first that fails.

    Example: evalsql shell --write
    """
    with asking.open_for_sql() as warehouse:
        session = Session(warehouse, output_format, digits, external=asking.external)
        if sys.stdin.isatty():
            access = "read and write" if asking.write else "read only; --write lets statements change it"
            note(f"{warehouse.path}, {access}. Statements end with ; and .help shows commands.")
            _run_prompt(session)
        else:
            for text in _read_script():
                session.run(text)
                if session.is_over:
                    break


def _read_script() -> Iterator[str]:
    """Statements and commands from standard input; a command has a line of its own."""
    try:
        lines = sys.stdin.buffer.read().decode("utf-8-sig").splitlines(keepends=True)
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text: {error}") from error
    pending = ""
    for line in lines:
        if is_blank(pending) and line.lstrip().startswith("."):
            yield line
            continue
        statements, pending = split(pending + line)
        yield from statements
    if not is_blank(pending):
        yield pending


def _run_prompt(session: Session) -> None:
    from evalsql.cli.prompt import read_statements

    for text in read_statements(lambda: session.vocabulary):
        try:
            session.run(text)
        except EvalsqlError as error:
            note(f"evalsql: {error}")
        except KeyboardInterrupt:
            note("evalsql: interrupted")
        if session.is_over:
            return
