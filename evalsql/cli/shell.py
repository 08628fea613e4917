"""``evalsql shell``: statements of the user's own, line by line."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch
from typing import cast, get_args

from evalsql.cli import tell
from evalsql.cli.declare import command, meant_word
from evalsql.cli.measures_sql import print_measures, standard_input
from evalsql.cli.options import Statements
from evalsql.cli.output import DIGITS, FORMAT, Format, OutputOptions, note, write_answer, write_table
from evalsql.cli.sql_completion import Known, Vocabulary, is_blank, is_command, known_in, split
from evalsql.errors import EvalsqlError, UsageError
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse
from evalsql.warehouse.writer import Writer

_FORMATS: tuple[Format, ...] = get_args(Format)
_COMMANDS = (".help", ".all", ".tables", ".measures", ".format", ".digits", ".quit", ".exit")
_COLUMNS = "select table_name, list(column_name) from duckdb_columns() where not internal group by table_name"
_HELP = f"""\
.help             this, and so is help
.all              every row of what is asked from here on, however many
.tables [GLOB]    relations, by default those that are no measures and no steps of measures
.measures [NAME]  the catalogue of measures, or the page of one
.format [FORMAT]  how rows are written: {", ".join(_FORMATS)}
.digits [N]       decimals, where people read
.quit             end, as quit, exit and Ctrl-D do

A statement ends with ; and may have several lines. Every measure is a view (from ap;) and a macro
(from ndcg(k := 10);). Tab completes relations, columns and parameters of macros, Ctrl-C drops the line or stops
what runs."""


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
                print(_HELP)
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
