"""Reads the relation files under ``sql/``: what each is called, takes, gives and reads.

A relation file is one SELECT (under ``tables/`` one CREATE TABLE, under ``functions/`` one expression) below a header.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from glob import glob
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog import PACKAGE, SQL_ROOT
from evalsql.catalog.header import CONTRACT, TIES, Header, Parameter, read_header
from evalsql.catalog.sql_text import (
    check_parameters,
    functions_named,
    parse,
    relation_calls,
    relations_named,
    relations_read,
    typed_columns,
)
from evalsql.errors import CatalogError
from evalsql.literals import Value
from evalsql.phrases import read_cells

if TYPE_CHECKING:
    from sqlglot import exp

# The view put together from the measures, which statistics and reports may read.
GENERATED = frozenset({"scores"})
AFTER_SCORES = ("statistics", "reports", "boards", "judging", "calls", "costs")
STEPS = "steps"
FUSION = "fusion"
GIVEN_VALUES, GIVEN = "given_values", "given"  # the step that has a row for each value of a parameter
# What these read where no session variable names runs; other engines have no such variables.
UNASKED = {f"asked_{table}": table for table in ("evaluations", "retrieved", "runs")} | {"asked_ranks": "judged_ranks"}
WITHOUT_VIEW = (STEPS, FUSION)  # nobody browses these without arguments
CHECKS = ("check_number", "check_numbers", "check_word")  # functions by which macros check their arguments
_STEP_FOLDERS = ("rankings", "ties", STEPS)
BUILDABLE = ("functions", STEPS, "measures", FUSION, *AFTER_SCORES)
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_HEADER = re.compile(r"(--.*(\n|\Z))*")
_MEASURE_NAME = re.compile(r"\w[\w+-]*")
_MOST = 30_000  # characters of a user's relation, which the engine reads for seconds; the package's have half as many

NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")
RUN_ID, NUM_TOPICS, RELEVANCE_STRING = "runid", "num_q", "relstring"  # no measures by the contract
_TREC = {name: " ".join(groups).split() for name, *groups in read_cells(PACKAGE / "catalog" / "trec_groups.tsv")}
TREC_ORDER: Sequence[str] = tuple(_TREC)
TREC_GROUPS: Mapping[str, Sequence[str]] = {
    group: [name for name in _TREC if group in _TREC[name]] for group in dict.fromkeys(chain(*_TREC.values()))
}


@dataclass(frozen=True)
class Relation:
    """One relation file. ``kind`` is its folder under ``sql``, or steps; a user's own is a measure or a step."""

    name: str
    kind: str
    path: Path
    text: str
    body: str
    body_line: int
    is_packaged: bool = False  # whether it comes with the package; else it is a user's own

    @cached_property
    def header(self) -> Header:
        """What the comment lines above the body say; raises CatalogError with file and line."""
        return read_header(self.path, self.text.splitlines()[: self.body_line - 1], kind=self.kind)

    @property
    def parameters(self) -> Sequence[Parameter]:
        return self.header.parameters

    @property
    def columns(self) -> Mapping[str, str]:
        """Comment by column, a measure's contract columns first."""
        return {**CONTRACT, **self.header.columns} if self.is_measure else self.header.columns

    @property
    def stored_columns(self) -> list[str]:
        """Of a table: the names of columns that are not computed."""
        return [column.name for column in typed_columns(self.body) if not column.is_computed]

    @property
    def family(self) -> str:
        """The folder it lies in, which for a measure is its family: binary, graded, groups, ..."""
        return self.path.parent.name

    @property
    def is_measure(self) -> bool:
        return self.kind == "measures"

    @property
    def is_function(self) -> bool:
        """Whether it is a scalar macro: its body is an expression of its parameters."""
        return self.kind == "functions"

    def parsed(self, options: Mapping[str, Any]) -> dict[str, Value]:
        """Those of the options that it takes, of the types of its parameters."""
        return {each.name: each.parse(str(options[each.name])) for each in self.parameters if each.name in options}

    @cached_property
    def reads(self) -> frozenset[str]:
        """Names of the relations the body reads; raises CatalogError where a user's is not SQL with its parameters.

        Parsing all of the package's would take seconds. A test checks that the words behind FROM and JOIN are enough.
        """
        return relations_named(self.body) if self.is_packaged else self.reads_in_tree

    @cached_property
    def reads_in_tree(self) -> frozenset[str]:
        """The same by the syntax tree; raises CatalogError if it has none, or its parameters are not the header's."""
        tree = self.tree()
        # The order of ties chooses the formula, even where the body does not name it.
        taken = {TIES} if self.header.ties else set()
        check_parameters(tree, [each.name for each in self.parameters], f"{self.path}:{self.body_line}", taken)
        return relations_read(tree)

    def tree(self) -> exp.Expr:
        return parse(self.body, self.path, self.body_line)

    @cached_property
    def calls(self) -> frozenset[str]:
        return functions_named(self.body)


@dataclass(frozen=True)
class Catalog:
    """Every relation by name, in the order in which they can be built."""

    relations: Mapping[str, Relation]
    digest: str
    temporary: frozenset[str] = frozenset()  # relations that live with a connection, the others being in the file
    _list_parameters: dict[str, str] = field(default_factory=dict, init=False, compare=False)

    def __getitem__(self, name: str) -> Relation:
        return self.relations[name]

    def of_kind(self, *kinds: str) -> Iterator[Relation]:
        return (relation for relation in self.relations.values() if relation.kind in kinds)

    @cached_property
    def schemas(self) -> Mapping[str, str]:
        """The schema of each step; other relations are found by their bare names."""
        return {step.name: "temp" if step.name in self.temporary else STEPS for step in self.of_kind(STEPS)}

    def for_connection(self, names: Iterable[str]) -> Catalog:
        return replace(self, temporary=self.temporary | frozenset(names))

    def extended(self, relations: Iterable[Relation]) -> Catalog:
        """This catalogue and more; raises CatalogError for a name that is taken, or that no relation can have."""
        known = dict(self.relations)
        digest = hashlib.sha256(self.digest.encode())
        for relation in relations:
            if other := known.get(relation.name):
                raise CatalogError(f"{relation.path}:1: relation {relation.name} is already in {other.path}")
            if not _NAME.fullmatch(relation.name):
                raise CatalogError(f"{relation.path}:1: the file's name must be one that SQL takes: a-z, 0-9, _")
            known[relation.name] = relation
            digest.update(f"{relation.kind}/{relation.name}\n{relation.text}\n".encode())
        if len(known) == len(self.relations):
            return self
        catalog = Catalog(known, digest.hexdigest(), self.temporary)
        if self.relations:  # the package's names are checked by a test
            catalog.check_measure_names()
        return catalog

    def check_measure_names(self) -> None:
        """Raise CatalogError where a measure has a name that another one has, or that none can have."""
        taken: dict[tuple[str, bool], Relation] = {}
        for relation in self.of_kind("measures"):
            header = relation.header
            own = (header.measure, *(alias.name for alias in header.aliases))
            for word in own:
                if not _MEASURE_NAME.fullmatch(word) or word.lower() in TREC_GROUPS:
                    raise CatalogError(f"{relation.path}:1: {word} cannot name a measure: letters, digits, _, - and +")
            names = [(name.lower(), False) for name in (*own, relation.name)]
            for name in (*names, *((alias.name, True) for alias in header.trec_eval)):
                if (other := taken.setdefault(name, relation)) is not relation:
                    raise CatalogError(f"{relation.path}:1: {name[0]} is already a name of the measure in {other.path}")

    @cached_property
    def own(self) -> Sequence[Relation]:
        return [relation for relation in self.relations.values() if not relation.is_packaged]

    @property
    def measures(self) -> Sequence[Relation]:
        return sorted(self.of_kind("measures"), key=lambda relation: relation.header.measure.lower())

    def list_parameter(self, relation: Relation) -> str:
        """The parameter that takes one value or a list, of which each has rows of its own; empty if there is none."""
        if relation.name not in self._list_parameters:
            passed = GIVEN if relation.name == GIVEN_VALUES else ""
            named = {f"${each.name}": each.name for each in relation.parameters}
            for name, arguments in relation_calls(relation.body):
                if not passed and name in self.relations and (inner := self.list_parameter(self[name])):
                    passed = named.get((arguments or {}).get(inner, ""), "")
            self._list_parameters[relation.name] = passed
        return self._list_parameters[relation.name]

    def reads_unjudged(self, measures: Iterable[Relation]) -> bool:
        """Whether one of these may read documents that nobody judged; of a user's own measures it is assumed."""
        steps = self.build_order([measure.name for measure in measures])
        return any("retrieved" in step.reads or not step.is_packaged for step in steps)

    def build_order(self, wanted: Sequence[str] | None = None) -> list[Relation]:
        """What a file holds, each after all that it reads; of all, or of what ``wanted`` needs."""
        buildable = {relation.name: relation for relation in self.of_kind(*BUILDABLE)}
        functions = {relation.name for relation in self.of_kind("functions")}
        graph: dict[str, list[str]] = {}
        pending = sorted(buildable) if wanted is None else list(wanted)
        while pending:
            name = pending.pop()
            if name not in graph:
                relation = buildable[name]
                tied = frozenset(relation.header.ties.values())
                unknown = sorted((relation.reads - GENERATED | tied).difference(self.relations, relation.header.inputs))
                if unknown and not relation.is_packaged:
                    place = f"{relation.path}:{relation.body_line}"
                    raise CatalogError(f"{place}: reads unknown relation {', '.join(unknown)}")
                called = relation.calls & functions if relation.is_function else relation.calls & functions | {*CHECKS}
                graph[name] = sorted((relation.reads | tied | called) & buildable.keys())
                pending.extend(graph[name])
        try:
            return [buildable[name] for name in TopologicalSorter(graph).static_order()]
        except CycleError as error:
            raise CatalogError(f"relations read each other in a circle: {' -> '.join(error.args[1])}") from error


@cache
def read_catalog() -> Catalog:
    """Every relation that comes with the package; read once a process, headers other than measures' when asked for."""
    files = {name: SQL_ROOT / name for name in sorted(glob("**/*.*", root_dir=SQL_ROOT, recursive=True))}
    relations = []
    for name, path in files.items():
        if path.suffix == ".sql":
            *folders, _ = name.split(os.sep)
            kind = STEPS if folders[-1] in _STEP_FOLDERS else folders[0]
            relations.append(replace(_relation(path, _text(path), kind), is_packaged=True))
    shared = "".join(_text(path) for path in files.values() if path.suffix == ".txt")
    return Catalog({}, shared).extended(relations)


def read_relations(source: str | Path) -> list[Relation]:
    """A user's relations from a file or folder of ``.sql`` files; raises CatalogError with file and line."""
    source = Path(source)
    paths = sorted(source.rglob("*.sql")) if source.is_dir() else [source]
    if not paths:
        raise CatalogError(f"{source}: no .sql file is in this folder")
    return [read_relation(path, _text(path)) for path in paths]


def read_relation(path: Path, text: str) -> Relation:
    """A user's relation from the text of its file; raises CatalogError with file and line."""
    if len(text) > _MOST:
        words = f"but a measure has at most {_MOST:,}; a step in a file of its own may hold a part of it"
        raise CatalogError(f"{path}: has {len(text):,} characters, {words}")
    relation = _relation(path, text, "measures" if re.search(r"^-- measure:", text, re.MULTILINE) else STEPS)
    _ = relation.header
    return relation


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise CatalogError(f"{path}: cannot be read: {reason}") from error


def _relation(path: Path, text: str, kind: str) -> Relation:
    header = _HEADER.match(text)[0]  # type: ignore[index]  # it may be empty
    line = len(header.splitlines()) + 1
    if not (body := text[len(header) :].strip().removesuffix(";")):
        raise CatalogError(f"{path}:{line}: there is no SQL below the header")
    return Relation(path.stem, kind, path, text, body, line)
