"""One table of rows that are not TREC text: its columns, what SQL makes of them, and what is told of some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from evalsql.database.database import Database
from evalsql.errors import InputError, Problem, UsageError, warn
from evalsql.ingest import column_meanings
from evalsql.ingest.column_meanings import NAMES, WHOLE, how_to_name, how_to_take, spans_form
from evalsql.ingest.files import text_reading
from evalsql.ingest.files.source import Format, Source
from evalsql.ingest.load_options import EVALUES, RANKED, SCORED
from evalsql.literals import quoted
from evalsql.phrases import counted, shortened

ROWS = "incoming_rows"
BY_DEFAULT_0 = ("iteration", "group", "subgroup")
# Types of the engine whose values are names: text and whole numbers, but no lists of them.
_NAME_TYPE = re.compile(r"VARCHAR|UUID|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|ENUM\(.*\)", re.DOTALL)
# Whether text is the whole number that the engine makes of it, which rounds many digits and takes the tiniest for 0.
_IS_EXACT = """
    (length({text}) <= 16 or regexp_matches({text}, '^[+-]?[0-9]+[.]?0*([eE][+]?[0-9]+)?$'))
    and ({number} <> 0 or not regexp_matches({text}, '^[^eE]*[1-9]'))
"""
IN_MEMORY = Format("", "memory")
TREC_TEXT = Format("", "lines")


@dataclass
class Table:
    """Rows that are not TREC text: those of one file, or from memory.

    Attributes:
        raw: what stands behind FROM for the rows as they are given; the column ``evalsql_row`` numbers them.
        columns: the column of ``raw`` for each meaning.
        names: the column of ``raw`` for each name in the file; none where Python reads its lines.
        types: of columns that are no text.
        has_lines: whether rows are numbered by their line in the file; otherwise from 1.
        refused: line and reason of those that are no rows.
        left_out: columns that are not read although they may say something.
        is_of_lists: whether it is a JSON list of lists, which name nothing.
    """

    database: Database
    source: Source
    form: Format
    raw: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    has_lines: bool = False
    refused: list[tuple[int, str]] = field(default_factory=list)
    left_out: Iterable[str] = ()
    is_of_lists: bool = False

    @property
    def query(self) -> str:
        """A SELECT of the number of each row, its names and its numbers; a group or subtopic without a column is 0."""
        return f"select * exclude (file) from {ROWS} where file = {self.source.number}"

    @property
    def num_rows(self) -> int:
        ((count,),) = self.database.rows(f"select count(*) from ({self.query})")
        return int(count)

    @property
    def num_open(self) -> int:
        """How many rows of a sheet are not judged yet; of all else 0."""
        ((count,),) = self.database.rows(f"select count(*) from {self.raw}") if self.form.is_sheet else [(0,)]
        return max(int(count) - self.num_rows, 0)

    @property
    def holds_evalues(self) -> bool:
        return column_meanings.holds_evalues(self.form.columns) or column_meanings.holds_evalues(self.columns)

    @property
    def is_ranking(self) -> bool:
        """Whether it has ranks and no scores; these are then the negative ranks."""
        return "rank" in self.columns and "score" not in self.columns

    @property
    def kind(self) -> int:
        """What its rows have as those of a run, see ``load_options``."""
        return RANKED if self.is_ranking else EVALUES if self.holds_evalues else SCORED

    @property
    def unit(self) -> str:
        return "line" if self.form.has_lines else "row"

    def problem(self, row: int, reason: str) -> Problem:
        if not self.form.name:
            return self.source.problem(row, reason)
        if not row or self.form.has_lines:
            return self.source.problem(row, f"{self.form.name}: {reason}")
        return self.source.problem(0, f"{self.form.name}, row {row}: {reason}")

    def error(self, reason: str, row: int = 0) -> InputError:
        """The error of what is wrong with a row, which has the line of the file where there are lines, or the table."""
        return InputError([self.problem(self.lines().get(row, row) if row else 0, reason)])

    def refuse(self, problem: Problem) -> None:
        self.refused.append((problem.line, problem.reason))

    def lines(self) -> Mapping[int, int]:
        """Lines by the numbers of rows, where the engine has counted rows and messages name lines."""
        if self.has_lines or not self.form.has_lines:
            return {}
        rows = text_reading.text_rows(self.source, self.form, self.refuse)
        return {row: line for row, (line, _) in enumerate(rows, start=1)}

    def faults(self, query: str) -> Iterator[Problem]:
        """The problems in a SELECT of line and reason, and perhaps of an earlier line and what is said behind it."""
        found = self.database.rows(f"{query}\norder by all")
        lines = self.lines() if found else {}
        for line, reason, *place in found:
            if first := next(iter(place), None):
                reason += "".join([f" at {self.unit} {lines.get(first, first)}", *place[1:]])
            yield self.problem(lines.get(line, line), reason)

    def rows(self, *meanings: str) -> Iterator[tuple[int, Sequence[Any]]]:
        lines = self.lines()
        for row, *values in self.database.rows(f"select row, {', '.join(meanings)} from ({self.query}) order by row"):
            yield lines.get(row, row), values


def check_rivals(table: Table, kind: str) -> None:
    """Refuse a table with two columns for one meaning that contradict each other; else say which one was taken."""
    for key, column in table.columns.items():
        meaning, _, both = key.partition(" ")
        if not both:
            continue
        first, second, is_text = converted(table, meaning), converted(table, key), "false"
        if meaning in NAMES:
            first, second = (f"trim(cast({quoted(each)} as varchar))" for each in (table.columns[meaning], column))
            is_text = f"bool_or(regexp_matches({second}, '\\s'))"
        unlike = f"{first} <> {second}"
        if column_meanings.is_id(both):
            unlike += f" and regexp_matches({first}, '\\s')"
        query = f"select min(evalsql_row::bigint) filter (where {unlike}), {is_text} from {table.raw}"
        ((row, has_texts),) = table.database.rows(query)
        told = f"the {meaning} could be {both}"
        if row and not has_texts:
            reason = f"{told}, which contradict each other; {how_to_name(kind, meaning)}"
            raise table.error(reason, row)
        if not has_texts and not column_meanings.is_id(both):
            warn(table.problem(0, f"{told}; the first one was taken"))


def check_calls(table: Table) -> None:
    """Refuse rows of several calls of one topic where nobody said that they are: their scores do not go together."""
    several = table.database.query("several_calls", {"rows_with_calls": table.query})
    if found := table.database.rows(several):
        ((row, topic, call, first),) = found
        column = table.form.columns.get("call", table.columns["call"])
        # Fields of records are called by their meanings here.
        what, name = (f"column {column}", column) if column != "call" else ("a field such as call or hop", "NAME")
        reason = (
            f'{what} looks like calls, several searches for one topic: topic {topic} has "{first}" and "{call}"; '
            f'--call {name}, in Python call="{name}", keeps a ranking of each; --call none leaves it out, and all rows '
            "of a topic are one ranking"
        )
        raise table.error(reason, row)


def note_left_out(tables: Iterable[Table], kind: str) -> None:
    """Warn of the columns that were not read although they may say something: once, of all files together."""
    found = {table.source.label: list(table.left_out) for table in tables if table.left_out}
    if found:
        names, (first, *others) = dict.fromkeys(chain(*found.values())), found
        place = first + (f" and {counted(len(others), 'other')}" if others else "")
        warn(f"{place}: not loaded: {shortened(list(names))}; {how_to_take(kind)}{spans_form(list(names), kind)}")


def converted(table: Table, meaning: str) -> str:
    """SQL that makes a name or a number of a column, null where it is none."""
    column = table.columns[meaning]
    name, kind = quoted(column), table.types.get(column, "VARCHAR")
    if meaning in NAMES:
        may_be_any = meaning in ("call", "support") or (table.form is IN_MEMORY and meaning in BY_DEFAULT_0)
        is_name = may_be_any or _NAME_TYPE.fullmatch(kind)
        if not is_name:
            raise UsageError(f"column {column} is of type {kind}; names are text or whole numbers")
        text = f"trim({name})" if kind == "VARCHAR" and table.form is not IN_MEMORY else f"cast({name} as varchar)"
        return f"nullif({text}, '')"
    number, is_exact = f"try_cast({name} as double)", "true"
    if kind.startswith("DECIMAL"):
        is_exact = f"{name} = trunc({name})"
    if kind == "VARCHAR":
        text = f"trim({name})"
        if meaning == "grade":  # as trec_text.plain_grade
            number = f"regexp_replace({text}, '^L([0-9]+)$', '\\1')"
            text = f"case lower({text}) when 'true' then '1' when 'false' then '0' else {number} end"
        number = f"case when not contains({name}, '_') then try_cast({text} as double) end"
        is_exact = _IS_EXACT.format(text=text, number=number)
    if meaning not in WHOLE:
        return number
    return f"case when {number} = trunc({number}) and {is_exact} then try_cast({number} as integer) end"
