"""What can follow in a line of the shell, and where its statements end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from evalsql.catalog.header import CONTRACT, Parameter
from evalsql.catalog.measure_names import literal
from evalsql.catalog.relations import STEPS, Catalog, Relation
from evalsql.catalog.sql_text import Token, tokens

_BUILT = ("tables", "steps", "measures", "fusion", "statistics", "reports", "judging")
_WORDS = """
    select from where group by having order limit offset join left right full inner cross using on as and or not in is
    null between like distinct union all except intersect with recursive case when then else end exists asc desc over
    partition window rows range filter qualify values cast true false describe show summarize explain
"""
_KEYWORD = "SQL"
_BEFORE_RELATION = {"from", "join", "describe", "summarize", "into", "update", "table"}
# What ends the part of a statement in which a comma is followed by a relation.
_AFTER_FROM = {"where", "group", "having", "order", "limit", "select", "on", "using", "window", "qualify"}


class Known(NamedTuple):
    """A relation, macro or scalar macro: its title, columns and parameters. Steps are in a schema of their own."""

    title: str
    columns: Sequence[str] = ()
    parameters: Sequence[Parameter] = ()
    is_function: bool = False
    is_step: bool = False


class Choice(NamedTuple):
    """A text to put in the place of the last ``length`` characters, and a word on what it is."""

    text: str
    length: int
    meaning: str = ""


class Vocabulary(NamedTuple):
    """Everything that has a name, by its name; commands of the shell with the words that may follow each."""

    known: Mapping[str, Known]
    commands: Mapping[str, Sequence[str]] = {}


def known_in(catalog: Catalog) -> dict[str, Known]:
    """The relations and functions of a catalogue."""
    found = {relation.name: _known(relation) for relation in catalog.of_kind(*_BUILT) if _is_built(relation)}
    found |= {relation.name: _known(relation) for relation in catalog.of_kind("functions")}
    columns = ("qrels", "run", "topic", "measure", "value")
    return found | {"scores": Known("The common measures at their defaults, in long form", columns)}


def _is_built(relation: Relation) -> bool:
    return not relation.header.inputs or relation.name in ("history", "summary", "tie_effects")


def _known(relation: Relation) -> Known:
    header = relation.header
    title = f"{header.measure}: {header.title}" if relation.is_measure else header.title
    return Known(title, list(relation.columns), relation.parameters, relation.is_function, relation.kind == STEPS)


def complete(text: str, vocabulary: Vocabulary) -> list[Choice]:
    """What can stand at the end of ``text``, which is what was typed before the cursor."""
    if text.lstrip().startswith("."):
        return _commands(text.lstrip(), vocabulary)
    pieces = list(tokens(split(text)[1]))
    if pieces and pieces[-1].is_open:
        return []
    typed = ""
    if pieces and pieces[-1].kind == "word" and text.endswith(pieces[-1].text):
        typed = pieces.pop().text
    elif pieces and pieces[-1].kind == "number" and text.endswith(pieces[-1].text):
        return []
    pieces = [piece for piece in pieces if piece.kind != "comment"]
    found = _choices(pieces, vocabulary)
    upper = typed.isupper()
    return [
        Choice(
            name.upper() if upper and meaning == _KEYWORD else name, len(typed), "" if meaning == _KEYWORD else meaning
        )
        for name, meaning in dict(found).items()
        if name.lower().startswith(typed.lower())
    ]


def _commands(text: str, vocabulary: Vocabulary) -> list[Choice]:
    command, blank, argument = text.partition(" ")
    if not blank:
        return [Choice(name, len(text)) for name in vocabulary.commands if name.startswith(text)]
    words = vocabulary.commands.get(command, ())
    return [Choice(word, len(argument)) for word in words if word.lower().startswith(argument.lower())]


def _choices(pieces: Sequence[Token], vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Names with their meanings, the likeliest first."""
    known = vocabulary.known
    last = pieces[-1].text.lower() if pieces else ""
    call = _open_call(pieces, known)
    if call:
        name, inside = call
        yield from _arguments(known[name], inside)
        return
    if last == "." and pieces[-2:-1] and pieces[-2].text.lower() == STEPS and _wants_relation(pieces[:-2]):
        yield from _relations({name: each for name, each in known.items() if each.is_step})
        return
    if last == "." and len(pieces) > 1:
        yield from _columns(_sources(pieces, known, pieces[-2].text))
        return
    if _wants_relation(pieces):
        yield from _relations({name: each for name, each in known.items() if not each.is_step})
        yield f"{STEPS}.", "the steps of measures"
        return
    # Where no relation is named yet, what every measure has.
    yield from _columns(_sources(pieces, known) or [("every measure", Known("", list(CONTRACT)))])
    yield from ((word, _KEYWORD) for word in _WORDS.split())
    yield from ((f"{name}(", each.title) for name, each in known.items() if each.is_function)
    if not pieces:
        yield from _relations({name: each for name, each in known.items() if not each.is_step})


def _relations(known: Mapping[str, Known]) -> Iterator[tuple[str, str]]:
    for name, each in known.items():
        if not each.is_function:
            if not (each.is_step and each.parameters):
                yield name, each.title
            if each.parameters:
                yield f"{name}(", f"{each.title} ({', '.join(parameter.name for parameter in each.parameters)})"


def _columns(sources: Iterable[tuple[str, Known]]) -> Iterator[tuple[str, str]]:
    for name, each in sources:
        yield from ((column, f"column of {name}") for column in each.columns)


def _open_call(pieces: Sequence[Token], known: Mapping[str, Known]) -> tuple[str, Sequence[Token]] | None:
    """The macro within whose parentheses the end stands, and what is between them so far."""
    depth = 0
    for at in range(len(pieces) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(pieces[at].text, 0)
        if depth < 0:
            name = pieces[at - 1].text.lower() if at else ""
            if name in known and known[name].parameters:
                return name, pieces[at + 1 :]
            return None
    return None


def _arguments(macro: Known, inside: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Parameters that have no value yet, or behind := the values of one that lists them."""
    by_name = {parameter.name: parameter for parameter in macro.parameters}
    if len(inside) > 1 and inside[-1].text in (":=", "=>"):
        parameter = by_name.get(inside[-2].text.lower())
        if parameter is not None:
            values = ["true", "false"] if parameter.type == "boolean" else map(literal, parameter.choices)
            yield from ((value, parameter.meaning) for value in values)
        return
    if inside and inside[-1].text != ",":
        return
    given = {before.text.lower() for before, sign in pairwise(inside) if sign.text in (":=", "=>")}
    for name, parameter in by_name.items():
        if name not in given:
            yield f"{name} := ", f"{parameter.type} = {literal(parameter.default)}: {parameter.meaning}"


def _wants_relation(pieces: Sequence[Token]) -> bool:
    if not pieces:
        return False
    if pieces[-1].text.lower() in _BEFORE_RELATION and pieces[-1].kind == "word":
        return True
    if pieces[-1].text != ",":
        return False
    words = [piece.text.lower() for piece in pieces if piece.kind == "word"]
    clauses = [word for word in words if word in _AFTER_FROM or word in ("from", "join")]
    return bool(clauses) and clauses[-1] in ("from", "join")


def _sources(pieces: Sequence[Token], known: Mapping[str, Known], alias: str = "") -> list[tuple[str, Known]]:
    """The relations that a statement names, or the one that an alias stands for; of an unknown alias all of them."""
    found: list[tuple[str, Known, str]] = []
    for at, piece in enumerate(pieces):
        name = piece.text.lower()
        if piece.kind == "word" and name in known and not known[name].is_function:
            found.append((name, known[name], _alias(pieces, at + 1)))
    called = [(name, each) for name, each, other in found if alias.lower() in (name, other)]
    return called or [(name, each) for name, each, _ in found]


def _alias(pieces: Sequence[Token], at: int) -> str:
    """The alias that follows a relation's name, past the arguments of a macro."""
    depth = 0
    while at < len(pieces) and (depth or pieces[at].text == "("):
        depth += {"(": 1, ")": -1}.get(pieces[at].text, 0)
        at += 1
    if at < len(pieces) and pieces[at].text.lower() == "as":
        at += 1
    return pieces[at].text.lower() if at < len(pieces) and pieces[at].kind == "word" else ""


def split(text: str) -> tuple[list[str], str]:
    """The statements that a semicolon ends, and what is left behind the last one."""
    statements: list[str] = []
    start = 0
    for token in tokens(text):
        if token.text == ";" and token.kind == "sign":
            statements.append(text[start : token.end].strip())
            start = token.end
    return [statement for statement in statements if not is_blank(statement.rstrip(";"))], text[start:]


def is_blank(text: str) -> bool:
    """Whether there is nothing to run: blanks, comments and lone semicolons."""
    return all(token.kind == "comment" or token.text == ";" for token in tokens(text))
