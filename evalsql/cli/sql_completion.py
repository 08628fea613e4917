"""What can follow in a line of the shell, and where its statements end."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from evalsql.catalog.ddl import is_held
from evalsql.catalog.header import CONTRACT, Parameter
from evalsql.catalog.relations import BUILDABLE, STEPS, Catalog
from evalsql.catalog.sql_text import Token, tokens
from evalsql.literals import literal, quoted

_WORDS = """
    select from where group by having order limit offset join left right full inner cross using on as and or not in is
    null between like distinct union all except intersect with recursive case when then else end exists asc desc over
    partition window rows range filter qualify values cast true false describe show summarize explain
"""
_BEFORE_RELATION = {"from", "join", "describe", "summarize", "into", "update", "table"}
# What ends the part of a statement in which a comma is followed by a relation.
_AFTER_FROM = {"where", "group", "having", "order", "limit", "select", "on", "using", "window", "qualify"}


class Known(NamedTuple):
    """A relation, macro or scalar macro; steps are in a schema of their own."""

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
    columns = ("qrels", "run", "topic", "measure", "value")
    found = {"scores": Known("The common measures at their defaults, in long form", columns)}
    for each in catalog.of_kind(*BUILDABLE, "tables"):
        if is_held(each):
            title = f"{each.header.measure}: {each.header.title}" if each.is_measure else each.header.title
            found[each.name] = Known(title, list(each.columns), each.parameters, each.is_function, each.kind == STEPS)
    return found


def complete(text: str, vocabulary: Vocabulary) -> list[Choice]:
    """What can stand at the end of ``text``, which is what was typed before the cursor."""
    if text.lstrip().startswith("."):
        name, blank, typed = text.lstrip().partition(" ")
        found = dict.fromkeys(vocabulary.commands.get(name, ()) if blank else vocabulary.commands, "")
        typed = typed if blank else name
    else:
        pieces = list(tokens(split(text)[1]))
        is_within = bool(pieces) and text.endswith(pieces[-1].text)
        if pieces and (pieces[-1].is_open or (is_within and pieces[-1].kind == "number")):
            return []
        typed = pieces.pop().text if is_within and pieces[-1].kind == "word" else ""
        words = _WORDS.upper() if typed.isupper() else _WORDS
        found = dict(_choices([piece for piece in pieces if piece.kind != "comment"], vocabulary.known, words.split()))
    begun = [name for name in found if name.lower().lstrip('"').startswith(typed.lower())]
    return [Choice(name, len(typed), found[name]) for name in begun]


def _choices(pieces: Sequence[Token], known: Mapping[str, Known], words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names with their meanings, the likeliest first; ``words`` are those of the language."""
    if call := _open_call(pieces, known):
        yield from _arguments(*call)
    elif pieces and pieces[-1].text == "." and len(pieces) > 1:
        owner = pieces[-2].text
        if owner.lower() == STEPS and _wants_relation(pieces[:-2]):
            yield from _relations(known, steps=True)
        else:
            yield from _columns(_sources(pieces, known, owner))
    elif _wants_relation(pieces):
        yield from _relations(known)
        yield f"{STEPS}.", "the steps of measures"
    else:
        # Where no relation is named yet, what every measure has.
        yield from _columns(_sources(pieces, known) or [("every measure", Known("", list(CONTRACT)))])
        yield from ((word, "") for word in words)
        yield from ((f"{name}(", each.title) for name, each in known.items() if each.is_function)
        if not pieces:
            yield from _relations(known)


def _relations(known: Mapping[str, Known], *, steps: bool = False) -> Iterator[tuple[str, str]]:
    for name, each in sorted(known.items()):
        if not each.is_function and each.is_step == steps:
            if not (steps and each.parameters):
                yield _written(name), each.title
            if each.parameters:
                yield f"{name}(", f"{each.title} ({', '.join(parameter.name for parameter in each.parameters)})"


def _columns(sources: Iterable[tuple[str, Known]]) -> Iterator[tuple[str, str]]:
    for name, each in sources:
        yield from ((_written(column), f"column of {name}") for column in each.columns)


def _written(name: str) -> str:
    """A name as SQL has it: one of a stranger's file may be any text."""
    return name if [each.kind for each in tokens(name)] == ["word"] else quoted(name)


def _open_call(pieces: Sequence[Token], known: Mapping[str, Known]) -> tuple[Known, Sequence[Token]] | None:
    """The macro within whose parentheses the end stands, and what is between them so far."""
    depth = 0
    for at in range(len(pieces) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(pieces[at].text, 0)
        if depth < 0:
            macro = known.get(pieces[at - 1].text.lower())
            return (macro, pieces[at + 1 :]) if macro and macro.parameters else None
    return None


def _arguments(macro: Known, inside: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Parameters that have no value yet, or behind := the values of one that lists them."""
    by_name = {parameter.name: parameter for parameter in macro.parameters}
    if len(inside) > 1 and inside[-1].text in (":=", "=>"):
        if parameter := by_name.get(inside[-2].text.lower()):
            values = ["true", "false"] if parameter.type == "boolean" else map(literal, parameter.choices)
            yield from ((value, parameter.meaning) for value in values)
    elif not inside or inside[-1].text == ",":
        given = {before.text.lower() for before, sign in pairwise(inside) if sign.text in (":=", "=>")}
        for name, parameter in by_name.items():
            if name not in given:
                yield f"{name} := ", f"{parameter.type} = {literal(parameter.default)}: {parameter.meaning}"


def _wants_relation(pieces: Sequence[Token]) -> bool:
    words = [piece.text.lower() for piece in pieces if piece.kind == "word"]
    if not pieces or pieces[-1].text != ",":
        return bool(pieces) and pieces[-1].kind == "word" and words[-1] in _BEFORE_RELATION
    clauses = [word for word in words if word in {*_AFTER_FROM, "from", "join"}]
    return clauses[-1:] in (["from"], ["join"])


def _sources(pieces: Sequence[Token], known: Mapping[str, Known], alias: str = "") -> list[tuple[str, Known]]:
    """The relations that a statement names, or the one that an alias stands for; of an unknown alias all of them."""
    named = [(at, piece.text.lower()) for at, piece in enumerate(pieces) if piece.kind == "word"]
    found = [(at, name) for at, name in named if name in known and not known[name].is_function]
    called = [(at, name) for at, name in found if alias.lower() in (name, _alias(pieces[at + 1 :]))]
    return [(name, known[name]) for _, name in called or found]


def _alias(pieces: Sequence[Token]) -> str:
    """The alias that follows a relation's name, past the arguments of a macro."""
    depth = 0
    for piece in pieces:
        depth += {"(": 1, ")": -1}.get(piece.text, 0)
        if depth == 0 and piece.text != ")" and piece.text.lower() != "as":
            return piece.text.lower() if piece.kind == "word" else ""
    return ""


def split(text: str) -> tuple[list[str], str]:
    """The statements that a semicolon ends, and what is left behind the last one."""
    ends = [token.end for token in tokens(text) if token.text == ";" and token.kind == "sign"]
    statements = [text[start:end].strip() for start, end in pairwise([0, *ends])]
    return [each for each in statements if not is_blank(each.rstrip(";"))], text[ends[-1] if ends else 0 :]


def is_command(text: str) -> bool:
    """Whether a line is for the shell: those that every shell has need no dot."""
    return text.lstrip().startswith(".") or text.strip(" \t\r\n;").lower() in ("exit", "quit", "help")


def is_blank(text: str) -> bool:
    """Whether there is nothing to run: blanks, comments and lone semicolons."""
    return all(token.kind == "comment" or token.text == ";" for token in tokens(text))
