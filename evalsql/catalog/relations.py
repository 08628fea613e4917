"""Reads the relation files under ``sql/``: what each is called, takes, gives and stands on.

A relation file is one SELECT (or, under ``tables/``, one CREATE TABLE, under ``functions/``, one
expression) below a header of comment lines. This module knows no database.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from glob import glob
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.header import CONTRACT, SHARED_PARAMETERS, TIES, Header, Parameter, read_header
from evalsql.catalog.sql_text import functions_named, relations_named
from evalsql.catalog.trec_groups import GROUPS
from evalsql.errors import CatalogError

if TYPE_CHECKING:
    from sqlglot import exp

# The view put together from the measures, which statistics and reports may read.
GENERATED = frozenset({"scores"})
AFTER_SCORES = ("statistics", "reports", "judging")
STEPS = "steps"
FUSION = "fusion"
WITHOUT_VIEW = (STEPS, FUSION)  # nobody browses these without arguments
_STEP_FOLDERS = ("rankings", "ties", STEPS)
_BUILDABLE = ("functions", STEPS, "measures", FUSION, *AFTER_SCORES)
_INSIDE = f"{SQL_ROOT}{os.sep}"  # as text: to look for the root among each path's parents takes milliseconds
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_MEASURE_NAME = re.compile(r"\w[\w+-]*")


@dataclass(frozen=True)
class Relation:
    """One relation file. ``kind`` is steps in the folders rankings, ties and steps, elsewhere the folder under ``sql``:
    tables, functions, measures, fusion, statistics, reports, judging, formats, loading, stored_scores, audits,
    explanation, selection, migrations or page.

    A user's own is a measure if its header names one, else a step.
    """

    name: str
    kind: str
    path: Path
    text: str
    body: str
    body_line: int

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

    @property
    def is_packaged(self) -> bool:
        """Whether it comes with the package; else it is a user's own."""
        return str(self.path).startswith(_INSIDE)

    @cached_property
    def reads(self) -> frozenset[str]:
        """Names of the relations the body reads.

        A user's SQL is parsed and checked. Parsing all of the package's would take seconds, so its relations are found
        by the words behind FROM and JOIN. A test checks that both ways agree.
        """
        return relations_named(self.body) if self.is_packaged else self.reads_in_tree

    @cached_property
    def reads_in_tree(self) -> frozenset[str]:
        """The same by the syntax tree; raises CatalogError if it has none, or its parameters are not the header's."""
        from evalsql.catalog.sql_text import check_parameters, relations_read

        tree = self.tree()
        declared = {parameter.name for parameter in self.parameters}
        # The order of ties chooses the formula, even where the body does not name it.
        taken = {TIES} if self.header.ties else set()
        check_parameters(tree, declared, f"{self.path}:{self.body_line}", taken)
        return relations_read(tree)

    def tree(self) -> exp.Expr:
        """The syntax tree of the body; raises CatalogError with file and line where it has none."""
        from evalsql.catalog.sql_text import parse

        return parse(self.body, self.path, self.body_line)

    @cached_property
    def calls(self) -> frozenset[str]:
        """Names of what the body calls, functions of the engine among them."""
        return functions_named(self.body)


@dataclass(frozen=True)
class Catalog:
    """Every relation by name, in the order in which they can be built."""

    relations: Mapping[str, Relation]
    digest: str
    temporary: frozenset[str] = frozenset()  # relations that live with a connection, the others being in the file

    def __getitem__(self, name: str) -> Relation:
        return self.relations[name]

    def has(self, relation: Relation) -> bool:
        """Whether the catalogue has a relation of this name and text."""
        return relation.name in self.relations and self.relations[relation.name].text == relation.text

    def of_kind(self, *kinds: str) -> Iterator[Relation]:
        return (relation for relation in self.relations.values() if relation.kind in kinds)

    @cached_property
    def schemas(self) -> Mapping[str, str]:
        """The schema of each step; other relations are found by their bare names."""
        return {step.name: "temp" if step.name in self.temporary else STEPS for step in self.of_kind(STEPS)}

    def for_connection(self, names: Iterable[str]) -> Catalog:
        """This catalogue with the named relations being temporary, so that they live with the connection."""
        return replace(self, temporary=self.temporary | frozenset(names))

    def extended(self, relations: Iterable[Relation]) -> Catalog:
        """This catalogue and more.

        Raises:
            CatalogError: a name that is taken, or that no relation can have.
        """
        relations = list(relations)
        if not relations:
            return self
        known = dict(self.relations)
        digest = hashlib.sha256(self.digest.encode())
        for relation in relations:
            if relation.name in known:
                raise CatalogError(
                    f"{relation.path}:1: relation {relation.name} is already in {known[relation.name].path}"
                )
            if not _NAME.fullmatch(relation.name):
                raise CatalogError(f"{relation.path}:1: the file's name must be one that SQL takes: a-z, 0-9, _")
            known[relation.name] = relation
            digest.update(f"{relation.kind}/{relation.name}\n{relation.text}\n".encode())
        catalog = Catalog(known, digest.hexdigest(), self.temporary)
        catalog._check_measure_names()
        return catalog

    def _check_measure_names(self) -> None:
        taken: dict[tuple[str, str], Relation] = {}
        for relation in self.of_kind("measures"):
            header = relation.header
            for word in (header.measure, *(alias.name for alias in header.aliases)):
                if not _MEASURE_NAME.fullmatch(word) or word.lower() in GROUPS:
                    raise CatalogError(f"{relation.path}:1: {word} cannot name a measure: letters, digits, _, - and +")
            names = {("", name.lower()) for name in (header.measure, relation.name, *(a.name for a in header.aliases))}
            for name in names | {("trec_eval", alias.name) for alias in header.trec_eval}:
                other = taken.setdefault(name, relation)
                if other is not relation:
                    raise CatalogError(f"{relation.path}:1: {name[1]} is already a name of the measure in {other.path}")

    @cached_property
    def own(self) -> Sequence[Relation]:
        """A user's own relations."""
        return [relation for relation in self.relations.values() if not relation.is_packaged]

    @property
    def measures(self) -> Sequence[Relation]:
        """Measures in the order of their names."""
        found = self.of_kind("measures")
        return sorted(found, key=lambda relation: relation.header.measure.lower())

    def reads_unjudged(self, measures: Iterable[Relation]) -> bool:
        """Whether one of these may read documents that nobody judged; of a user's own measures it is assumed."""
        measures = list(measures)
        steps = self.build_order([measure.name for measure in measures])
        return any(measure in self.own for measure in measures) or any("retrieved" in step.reads for step in steps)

    def build_order(self, wanted: Sequence[str] | None = None) -> list[Relation]:
        """Functions, steps, measures, statistics and reports, each after all it reads; only what ``wanted`` needs
        if given.

        Raises:
            CatalogError: a relation reads an unknown one, or itself by a detour.
        """
        buildable = {relation.name: relation for relation in self.of_kind(*_BUILDABLE)}
        graph: dict[str, set[str]] = {}
        pending = sorted(buildable) if wanted is None else list(wanted)
        while pending:
            name = pending.pop()
            if name in graph:
                continue
            graph[name] = {read for read in self._known_reads(buildable[name]) if read in buildable}
            pending.extend(graph[name])
        try:
            return [buildable[name] for name in TopologicalSorter(graph).static_order()]
        except CycleError as error:
            raise CatalogError(f"relations read each other in a circle: {' -> '.join(error.args[1])}") from error

    def _known_reads(self, relation: Relation) -> frozenset[str]:
        reads = relation.reads | frozenset(relation.header.ties.values())
        unknown = sorted(reads - self.relations.keys() - GENERATED - set(relation.header.inputs))
        if unknown and not relation.is_packaged:
            raise CatalogError(f"{relation.path}:{relation.body_line}: reads unknown relation {', '.join(unknown)}")
        return (reads | (relation.calls & self._functions)) & self.relations.keys()

    @cached_property
    def _functions(self) -> frozenset[str]:
        return frozenset(function.name for function in self.of_kind("functions"))


@cache
def read_catalog() -> Catalog:
    """Every relation that comes with the package; read once a process, headers other than measures' when asked for.

    Raises:
        CatalogError: a header or body that does not hold to the form; the message names file and line.
    """
    root = SQL_ROOT
    paths = [root / file for file in sorted(glob("**/*.sql", root_dir=root, recursive=True))]
    shared = "".join(path.read_text(encoding="utf-8") for path in sorted(root.rglob(SHARED_PARAMETERS)))
    return Catalog({}, shared).extended(_read_relation(path, _text(path), _kind(path, root)) for path in paths)


def _kind(path: Path, root: Path) -> str:
    folders = path.relative_to(root).parts[:-1]
    return STEPS if folders[-1] in _STEP_FOLDERS else folders[0]


def read_relations(source: str | Path) -> list[Relation]:
    """A user's relations from one file or every ``.sql`` file in a folder.

    Raises:
        CatalogError: there is none, or one does not hold to the form; the message names file and line.
    """
    source = Path(source)
    paths = sorted(source.rglob("*.sql")) if source.is_dir() else [source]
    if not paths:
        raise CatalogError(f"{source}: no .sql file is in this folder")
    return [read_relation(path, _text(path)) for path in paths]


def read_relation(path: Path, text: str) -> Relation:
    """A user's relation from the text of its file: a measure where the header names one.

    Raises:
        CatalogError: it does not hold to the form; the message names file and line.
    """
    kind = "measures" if re.search(r"^-- measure:", text, re.MULTILINE) else STEPS
    relation = _read_relation(path, text, kind)
    _ = relation.header
    return relation


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise CatalogError(f"{path}: cannot be read: {reason}") from error


def _read_relation(path: Path, text: str, kind: str) -> Relation:
    lines = text.splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("--")), len(lines))
    body = "\n".join(lines[end:]).strip().removesuffix(";")
    if not body:
        raise CatalogError(f"{path}:{end + 1}: there is no SQL below the header")
    return Relation(path.stem, kind, path, text, body, end + 1)
