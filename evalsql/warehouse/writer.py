"""Runs a user's own statements that change a warehouse, and checks that its rows still belong together."""

from collections.abc import Iterator
from dataclasses import dataclass

from evalsql.catalog.ddl import common_measures
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.queries import SCORES, with_inputs
from evalsql.catalog.relations import AFTER_SCORES, Catalog
from evalsql.catalog.sql_text import ctes_named, tokens
from evalsql.database.database import Database, Rows
from evalsql.database.statement_text import BEGINS, COMMITS, first_word, makes_view
from evalsql.errors import ReachError, UsageError, warn
from evalsql.literals import quoted
from evalsql.phrases import counted
from evalsql.warehouse.file_checks import refuse_settings

_READING = {"SELECT", "TRANSACTION", "SET", "ATTACH", "DETACH", "LOAD", "VACUUM", "ANALYZE", "PRAGMA"}


@dataclass
class Writer:
    """Runs statements; a transaction that takes runs or judgments from rows which need them is rolled back."""

    database: Database
    external: bool
    is_open: bool = False  # a transaction that the user began

    def __post_init__(self) -> None:
        if not self.external:
            refuse_settings(self.database)

    def run(self, text: str, most: int | None = None) -> Rows:
        """Run statements as ``Database.run`` does, in one transaction unless they say where theirs begin and end."""
        look_at(text, self.database)
        statements = [] if self.database.read_only else self.database.statements(text)
        kinds = {kind for kind, _ in statements}
        if not self.is_open and any(makes_view(query) for _, query in statements):
            self.database.before_view()
        if "TRANSACTION" in kinds:
            found: Rows = [], []
            for kind, query in statements:
                found = self._begin_or_end(query) if kind == "TRANSACTION" else self.run(query, most)
            return found
        if self.is_open or kinds <= _READING:
            return self._ask(text, most)
        with self.database.transaction():
            found = self._ask(text)
            self._check()
        return found

    def _begin_or_end(self, query: str) -> Rows:
        word = first_word(query)
        if word in COMMITS and self.is_open:
            try:
                self._check()
            except UsageError:
                self.database.execute("rollback")
                self.is_open = False
                raise
        found = self._ask(query)
        self.is_open = word in BEGINS
        return found

    def _ask(self, text: str, most: int | None = None) -> Rows:
        """Run statements; an error says which option it takes, where that is all."""
        try:
            return self.database.run(text, external=self.external, most=most)
        except ReachError as error:
            raise ReachError(f"{error}\n--external lets it reach other files") from error

    def _check(self) -> None:
        tables = (table.name for table in self.database.catalog.of_kind("tables"))
        # A temporary table may have the name of one of the file's.
        held = {name: f"select * from {quoted(self.database.name)}.main.{name}" for name in tables}
        query = with_inputs(self.database.query("missing_keys", documents=False), held)
        # The names of files may stay, which no figure is computed from.
        kept = f"from ({query}) where relation <> 'files'"
        owners = f"select relation, owner, sum(num_rows) {kept} group by all order by all"
        if lost := self.database.rows(owners):
            listed = ", ".join(f"{counted(count, 'row')} of {name} without {owner}" for name, owner, count in lost)
            raise UsageError(
                f"this would leave {listed}; nothing was changed. evalsql drop runs (or qrels) takes one out with all "
                "that belongs to it, and evalsql load with --replace puts another in its place"
            )


def look_at(text: str, database: Database) -> None:
    """Warn of a query that would be empty because of what scores lack; UsageError for = behind a parameter."""
    for macro, parameter in _equated_parameters(text, database.catalog):
        raise UsageError(
            f"{macro}({parameter} = ...): a parameter is given by :=, as in {macro}({parameter} := ...); "
            "= compares, and gives other rows or none"
        )
    for line in _absent_from_scores(text, database):
        warn(line)


def _equated_parameters(text: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Macros with a parameter followed by =, as in ``comparisons(baseline = 'bm25')``, where the engine compares."""
    pieces = [("sign", ""), *((each.kind, each.text) for each in tokens(text) if each.kind != "comment"), ("sign", "")]
    called: list[str] = []  # what stands before each parenthesis that is open
    for (_, before), (kind, piece), (_, after) in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if piece == "(":
            called.append(before.lower())
        elif piece == ")" and called:
            called.pop()
        elif kind == "word" and before in ("(", ",") and after == "=" and called:
            macro = catalog.relations.get(called[-1])
            if macro and piece.lower() in (parameter.name for parameter in macro.parameters):
                yield macro.name, piece.lower()


def _absent_from_scores(text: str, database: Database) -> Iterator[str]:
    """What to ask instead, for each measure that a query of the view scores, or of what reads it, names in vain."""
    pieces = list(tokens(text))
    words = dict.fromkeys(each.text.lower() for each in pieces if each.kind == "word")
    reader = next((word for word in words if _reads_scores(word, database.catalog)), None)
    if reader is None or SCORES in ctes_named(text):  # those of the query itself
        return
    view = f"the view {SCORES}" if reader == SCORES else f"the view {SCORES}, which {reader} reads,"
    held = {measure.name for measure in common_measures(database.catalog)}
    for name in dict.fromkeys(each.text[1:-1] for each in pieces if each.kind == "string" and each.text[:1] == "'"):
        try:
            found = parse_measures([name], database.catalog) if name.strip() and name not in held else []
        except UsageError:
            continue
        if len(found) == 1 and not database.rows(f"select 1 from {SCORES} where measure = ? limit 1", [name]):
            is_other = found[0].name in held
            what = f"calls it {found[0].name}" if is_other else f"does not have it; from {found[0].call} does"
            yield f"{name}: {view} {what}"


def _reads_scores(name: str, catalog: Catalog) -> bool:
    if name not in catalog.relations or catalog[name].kind not in AFTER_SCORES:
        return name == SCORES
    return any(SCORES in step.reads or step.header.inputs for step in catalog.build_order([name]))
