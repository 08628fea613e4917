"""The text of SQL: its pieces, the relations and functions it names, its parameters, and its syntax tree.

Bodies of the package's relations are read by their pieces, since to parse all of them would take seconds. What users
bring is parsed by sqlglot, which is imported only then. Nothing here decides what a statement may do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evalsql.errors import CatalogError

if TYPE_CHECKING:
    from sqlglot import exp

# Strings (with escapes behind an e, or between dollar signs) and quoted names may lack their end while one types.
_PIECES = r"""
      (?P<string>[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z)
        | \$(?P<tag>(?:[A-Za-z_]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*|)\$ (?:.*?\$(?P=tag)\$ | .*\Z))
    | (?P<name>"(?:[^"]|"")*(?:"|\Z))
    | (?P<comment>--[^\r\n]*)
    | (?P<block>/\*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<parameter>\$[^\W\d]\w*)
    | (?P<number>\d(?:[\d.]|_(?=\d))*)
"""
_SIGNS = r"| (?P<sign>:=|=>|\S)"
_WITHOUT_SIGNS = re.compile(_PIECES, re.VERBOSE | re.DOTALL)
_WITH_SIGNS = re.compile(_PIECES + _SIGNS, re.VERBOSE | re.DOTALL)
_BLOCK_ENDS = re.compile(r"/\*|\*/")
_BEFORE_RELATION = ("from", "join", "lateral")
_CALL = re.compile(r"\s*\((?P<inside>(?:'[^']*'|[^()'])*)(?P<end>[()])")
_ARGUMENT = re.compile(r"(\w+)\s*:=((?:'[^']*'|[^,'])+)")
_CTE = re.compile(r"\s*(?:\([^()]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s*)?\(", re.IGNORECASE)
_KEPT = re.compile(r"\b(\w+) as \(\s*(?:--.*\s+)*select \* from (?=\1\b)")  # a CTE of a relation's rows, by its name
_ALIAS = re.compile(
    r"(?!(?:join|left|right|full|inner|outer|cross|natural|asof|positional|semi|anti|on|using|where|group|having|window"
    r"|qualify|order|limit|offset|union|intersect|except|tablesample)\b)[^\W\d]",
    re.IGNORECASE,
)


class Token(NamedTuple):
    """A piece of SQL. ``kind`` is string, name (a quoted one), comment, word, parameter, number or sign."""

    kind: str
    text: str
    start: int
    is_open: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokens(text: str, *, signs: bool = True) -> Iterator[Token]:
    """Every piece in its place, with signs if they are wanted; ``is_open`` marks a last one that lacks its end."""
    pattern = _WITH_SIGNS if signs else _WITHOUT_SIGNS
    at = 0
    while match := pattern.search(text, at):
        start, at = match.span()
        kind = match.lastgroup or ""
        if kind == "block":
            kind, depth = "comment", 1
            while depth and (mark := _BLOCK_ENDS.search(text, at)):  # others may stand within it
                depth, at = depth + (1 if mark[0] == "/*" else -1), mark.end()
            is_open = depth > 0
            at = len(text) if is_open else at
        else:  # where a blank more would belong to it
            longer = pattern.match(f"{match[0]} ") if at == len(text) else None
            is_open = longer is not None and longer.end() > len(match[0])
        yield Token(kind, text[start:at], start, is_open)


def bind_parameters(body: str, arguments: Mapping[str, str]) -> str:
    """The body with each ``$name`` replaced by ``arguments[name]``; comments and strings stay as they are."""
    return with_replaced(body, ((start, end, arguments[name]) for start, end, name in parameter_places(body)))


def in_schemas(body: str, schemas: Mapping[str, str]) -> str:
    """The body with each relation that it reads by a bare name in ``schemas`` read from that schema."""
    read = [(start, name) for start, name in _relation_places(body) if name in schemas]
    return with_replaced(body, ((start, start, f"{schemas[name]}.") for start, name in read))


def renamed(body: str, names: Mapping[str, str]) -> str:
    """The body reading relations by their new names; each keeps its old name as an alias, which columns may use."""
    replaced = []
    for start, name in _relation_places(body):
        if name in names:
            end = start + len(name)
            rest = body[end:].lstrip()
            has_alias = rest.startswith("(") or _ALIAS.match(rest)
            replaced.append((start, end, names[name] if has_alias else f"{names[name]} as {name}"))
    return with_replaced(body, replaced)


def with_replaced(body: str, replaced: Iterable[tuple[int, int, str]]) -> str:
    """The body with other text from one place to another, in their order."""
    pieces: list[str] = []
    end = 0
    for start, stop, text in replaced:
        pieces += [body[end:start], text]
        end = stop
    return "".join([*pieces, body[end:]])


@cache
def parameter_places(body: str) -> list[tuple[int, int, str]]:
    return [(each.start, each.end, each.text[1:]) for each in _words(body) if each.kind == "parameter"]


def relations_named(body: str) -> frozenset[str]:
    """The bare names behind FROM and JOIN that are none of the body's own CTEs."""
    return frozenset(name for _, name in _relation_places(body))


@cache
def relation_calls(body: str) -> list[tuple[str, Mapping[str, str] | None]]:
    """The relations behind FROM and JOIN with the arguments they are given; None where one is an expression."""
    calls: list[tuple[str, Mapping[str, str] | None]] = []
    for start, name in _relation_places(body):
        call = _CALL.match(body, start + len(name))
        arguments = {name: text.strip() for name, text in _ARGUMENT.findall(call["inside"])} if call else {}
        calls.append((name, None if call and call["end"] == "(" else arguments))
    return calls


def functions_named(body: str) -> frozenset[str]:
    return frozenset(each.text for each in _words(body) if each.kind == "word" and body.startswith("(", each.end))


def ctes_named(body: str) -> frozenset[str]:
    return frozenset(each.text for each in _words(body) if each.kind == "word" and _CTE.match(body, each.end))


@cache
def _relation_places(body: str) -> list[tuple[int, str]]:
    """Where each bare name starts behind FROM or JOIN that is none of the body's own CTEs, or is kept as one."""
    words = [each for each in _words(body) if each.kind == "word"]
    own = ctes_named(body)
    kept = {each.end() for each in _KEPT.finditer(body)}
    return [
        (word.start, word.text)
        for keyword, word in pairwise(words)
        if keyword.text.lower() in _BEFORE_RELATION
        and not body[keyword.end : word.start].strip()
        and (word.text not in own or word.start in kept)
        and not body.startswith(".", word.end)
    ]


@cache
def _words(body: str) -> list[Token]:
    """Every word and ``$name`` outside strings and comments."""
    return [token for token in tokens(body, signs=False) if token.kind in ("word", "parameter")]


def parse(body: str, path: Path, first_line: int) -> exp.Expr:
    """The syntax tree of a body that starts at this line of a file; raises CatalogError where it has none.

    It is raised too where sqlglot finds other strings, names or comments than the engine, as behind ``$k-$``.
    """
    import sqlglot
    from sqlglot.errors import ParseError, TokenError

    try:
        trees = sqlglot.parse(body, dialect="duckdb")
    except (ParseError, TokenError) as error:
        line = error.errors[0].get("line") if isinstance(error, ParseError) and error.errors else None
        raise CatalogError(f"{path}:{first_line + (line or 1) - 1}: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise CatalogError(f"{path}:{first_line}: is nested too deeply to be read") from error
    if len(trees) != 1 or trees[0] is None:
        raise CatalogError(f"{path}:{first_line}: expected one statement")
    if not _is_read_alike(body, [(each.start, each.end + 1) for each in sqlglot.tokenize(body, dialect="duckdb")]):
        raise CatalogError(f"{path}:{first_line}: write its strings, quoted names and comments in a plainer form")
    return trees[0]


def _is_read_alike(body: str, found: Sequence[tuple[int, int]]) -> bool:
    """Whether the pieces that another lexer ``found``, from one place to another, are those of the engine."""
    pieces = [each for each in tokens(body) if each.kind != "comment"]
    if any(each.text == "`" for each in pieces):  # DuckDB 2.0 quotes names with it
        return False
    starts = {each.start for each in pieces}
    within = {at for start, end in found for at in range(start, end)}  # a word of sqlglot may be two, as GROUP BY
    parameters = {at for each in pieces if each.kind == "parameter" for at in range(each.start, each.end)}
    if not starts <= within or not {start for start, _ in found} <= starts | parameters:
        return False
    quoted = {(each.end, body[each.end - 1]) for each in pieces if each.kind in ("string", "name")}
    return quoted == {(end, body[end - 1]) for start, end in found if _is_quoted(body[start:end])}


def _is_quoted(piece: str) -> bool:
    return len(piece) > 1 and (piece[-1] in "'\"" or (piece[0] == piece[-1] == "$"))


def relations_read(tree: exp.Expr) -> frozenset[str]:
    """Names of tables, views and macros in a body that are not its own CTEs; one may have the rows of its namesake."""
    from sqlglot import exp

    own = {
        cte.alias_or_name
        for ctes in tree.find_all(exp.With)
        for cte in ctes.expressions
        if ctes.recursive or cte.alias_or_name not in {table.name for table in cte.find_all(exp.Table)}
    }
    series = (exp.GenerateSeries, exp.ExplodingGenerateSeries)
    tables = [table for table in tree.find_all(exp.Table) if not isinstance(table.this, series)]
    names = {str(each.this.name if isinstance(each.this, exp.Func) else each.name) for each in tables}
    return frozenset(names - own)


def check_parameters(tree: exp.Expr, declared: Collection[str], place: str, taken: Collection[str] = ()) -> None:
    """Raise CatalogError at ``place`` where a body uses other parameters than its header declares.

    A column named like a parameter is refused too: a macro would read the parameter in its place. ``taken`` are
    parameters that are used though the body does not name them.
    """
    import sqlglot
    from sqlglot import exp

    used = {str(node.name) for node in tree.find_all(exp.Parameter)}.union(taken)
    used |= {str(node.name) for node in tree.find_all(exp.Placeholder) if node.name}
    declared = set(declared)
    for name in sorted(declared):
        if sqlglot.tokenize(name, dialect="duckdb")[0].token_type.name != "VAR":
            raise CatalogError(f"{place}: {name} is a word of SQL and cannot name a parameter")
    if used != declared:
        differing = ", ".join(f"${name}" for name in sorted(used ^ declared))
        side = "the body does not use" if used < declared else "the header does not name" if used > declared else ""
        raise CatalogError(f"{place}: {side or 'header and body differ in'} the parameters {differing}")
    # In f(k := $k) sqlglot takes the name on the left for a column. A column behind the name of its table is never
    # mistaken for a parameter.
    argument_names = {id(node.this) for node in tree.find_all(exp.PropertyEQ)}
    bare = (column for column in tree.find_all(exp.Column) if not column.table)
    columns = {column.name for column in bare if id(column) not in argument_names}
    if clashes := sorted(columns & declared):
        raise CatalogError(f"{place}: column named like a parameter: {', '.join(clashes)}")


_LOOSE = ("(", ")", "virtual")
_PLAIN = re.compile('"[a-z_][a-z0-9_]*"')


class TypedColumn(NamedTuple):
    """A column of a CREATE TABLE: its words, its name without marks, and whether its values are computed."""

    text: str
    name: str
    is_computed: bool


@cache
def typed_columns(sql: str) -> list[TypedColumn]:
    """Each column of a CREATE TABLE as words, without the word virtual, marks of plain names and brackets of no call.

    The engine writes those otherwise. Another name keeps its marks, so that nothing in it is taken for SQL. A column's
    own name keeps its case, which the columns of answers have.
    """
    columns: list[list[Token]] = [[]]
    depth, before = 0, ""
    for each in tokens(sql):
        kind, text = each.kind, each.text
        depth += {"(": 1, ")": -1}.get(text, 0)
        is_call = text == "(" and depth > 1 and before not in ("", "as")
        before = text.lower() if kind in ("word", "name") else ""
        if text == "," and depth == 1:
            columns.append([])
        elif kind != "comment" and depth and (is_call or text.lower() not in _LOOSE):
            columns[-1].append(each)
    return [_typed_column(column) for column in columns]


def _typed_column(pieces: list[Token]) -> TypedColumn:
    first = pieces[0].text if pieces else ""
    name = first[1:-1].replace('""', '"') if first.startswith('"') else first
    words = [each.text.lower() if each.kind == "word" else each.text for each in pieces[1:]]
    text = " ".join(word[1:-1] if _PLAIN.fullmatch(word) else word for word in [first, *words])
    spoken = " ".join(each.text.lower() if each.kind == "word" else "" for each in pieces)
    return TypedColumn(text, name, "generated always as" in spoken)
