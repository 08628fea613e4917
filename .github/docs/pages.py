"""Makes the pages of the site in memory: guides, measures, SQL, commands and the Python API; a hook of MkDocs.

A page is known by the file of the source that it shows. So a link from one file to another becomes a link between their
pages, a link to a file without a page becomes its text, and a link to no file fails the strict build.
"""

import html
import logging
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.main import get_command

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the site shows this source, whichever version is installed

import evalsql
from evalsql.catalog.header import Alias
from evalsql.catalog.relations import Relation, read_catalog
from evalsql.cli import app
from evalsql.literals import literal
from tests.tools.measures_page import FAMILIES

LOG = logging.getLogger("mkdocs.hooks.pages")
SQL, DOCS, FIXTURES = ROOT / "sql", ROOT / "evalsql" / "docs", ROOT / "fixtures"
CATALOG = read_catalog()
FOLDERS = {
    "tables": "Base tables",
    "rankings": "Steps of measures",
    "measures": "Steps of one family",
    "ties": "Orders of ties",
    "reports": "Reports",
    "statistics": "Statistics",
    "boards": "Boards",
    "conventions": "Conventions",
    "calls": "Calls",
    "costs": "Costs",
    "judging": "Judging",
    "fusion": "Fusion",
    "functions": "Functions",
    "audits": "Audits",
    "explanation": "Explanation",
    "selection": "Selection",
    "formats": "Formats",
    "loading": "Loading",
    "stored_scores": "Stored scores",
    "page": "Report's page",
    "migrations": "Migrations",
}
EXAMPLES = "measures/examples.md"
# Files shown as they are, with their pages.
TEXTS = {
    "README.md": "index.md",
    "sql/README.md": "sql/index.md",
    "sql/measures/README.md": "measures/index.md",
    "fixtures/README.md": EXAMPLES,
    "evalsql/CHANGELOG.md": "project/changes.md",
    "evalsql/README.md": "project/packages.md",
    "tests/README.md": "project/tests.md",
    "tests/bench/README.md": "project/bench.md",
    ".github/CONTRIBUTING.md": "project/contributing.md",
    ".github/decisions.md": "project/decisions.md",
}
BOOSTS = {"measures": 4, "guides": 3, "commands": 2}  # the search has these before steps and audits of a like name
PICTURE = ".github/report.png"
_FENCED = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?P<image>!?)\[(?P<label>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_GUIDE = re.compile(r"`evalsql help (?P<name>[a-z_]+)`")
_CODE = re.compile(r"evalsql help [a-z_]+|(?<!\S)--[a-z][a-z-]*")
BAR = r"\|"  # in the cell of a table


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = [
        {"Home": "index.md"},
        {"Guides": [{group: [f"guides/{name}.md" for name in names]} for group, names in app._GUIDES.items()]},
        {"Measures": ["measures/index.md", *_families(), {"Worked examples": EXAMPLES}]},
        {"SQL": ["sql/index.md", *({title: f"sql/{folder}.md"} for folder, title in FOLDERS.items())]},
        {"Commands": [f"commands/{group.lower()}.md" for group in app._COMMANDS]},
        {"Python": "python.md"},
        {"Project": [page for page in TEXTS.values() if page.startswith("project/")]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for page, text in _pages():
        boost = BOOSTS.get(page.partition("/")[0], 1)
        files.append(File.generated(config, page, content=f"---\nsearch: {{ boost: {boost} }}\n---\n{text}"))
    files.append(File.generated(config, "report.png", abs_src_path=str(ROOT / PICTURE)))
    return files


def _families() -> Iterator[dict[str, Any]]:
    for family, title in FAMILIES.items():
        measures = [each for each in CATALOG.measures if each.family == family]
        yield {title: [{each.header.measure: f"measures/{each.name}.md"} for each in measures]}


def _pages() -> Iterator[tuple[str, str]]:
    for source, page in TEXTS.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text += "".join(_cases()) if page == EXAMPLES else ""
        yield page, _linked(text, ROOT / source, page)
    for guide in sorted(DOCS.glob("*.md")):
        yield f"guides/{guide.stem}.md", _linked(guide.read_text(encoding="utf-8"), guide, f"guides/{guide.stem}.md")
    for measure in CATALOG.measures:
        yield f"measures/{measure.name}.md", "\n".join(_measure(measure))
    yield from _relations()
    for group, places in app._COMMANDS.items():
        page, names = f"commands/{group.lower()}.md", [place.rpartition(".")[2].rstrip("_") for place in places]
        yield page, _linked("\n".join(_commands(group, names)), ROOT / page, page)
    yield "python.md", "\n\n".join(("# Python", *(f"::: evalsql.{name}" for name in _public())))


def _public() -> Sequence[str]:
    """Names of the package: what is called first, then classes, then errors."""
    return sorted((each for each in evalsql.__all__ if each != "__version__"), key=lambda name: (_rank(name), name))


def _rank(name: str) -> int:
    found = getattr(evalsql, name)
    return 2 if isinstance(found, type) and issubclass(found, Exception) else 1 if isinstance(found, type) else 0


# Links


def _place(path: Path) -> str:
    """The page that shows a file of the source, with the part of it; empty if there is none."""
    name = path.relative_to(ROOT).as_posix()
    if path.suffix == ".sql" and path.is_relative_to(SQL):
        return _relation_place(CATALOG[path.stem])
    if path.parent == DOCS and path.suffix == ".md":
        return f"guides/{path.stem}.md"
    if path.parent == FIXTURES or path == FIXTURES:
        return f"{EXAMPLES}#{path.name}" if path != FIXTURES else EXAMPLES
    pages = {**TEXTS, PICTURE: "report.png"}
    return pages.get(name) or pages.get(f"{name}/README.md", "")


def _relation_place(relation: Relation) -> str:
    if relation.is_measure:
        return f"measures/{relation.name}.md"
    return f"sql/{relation.path.relative_to(SQL).parts[0]}.md#{relation.name}"


def _linked(text: str, source: Path, page: str) -> str:
    """The text with its links put between pages; what stands in blocks of code stays."""

    def replaced(found: re.Match[str]) -> str:
        path, _, part = found["target"].partition("#")
        if not path or ":" in path:
            return found[0]
        target = (source.parent / path).resolve()
        if not target.exists():
            LOG.warning("%s: links to %s, which does not exist", source.relative_to(ROOT), found["target"])
        place = _place(target)
        if not place:
            return found["label"]
        return f"{found['image']}[{found['label']}]({_relative(page, place)}{'#' * bool(part)}{part})"

    def guided(found: re.Match[str]) -> str:
        guide = DOCS / f"{found['name']}.md"
        return f"[{found[0]}]({_relative(page, _place(guide))})" if guide.exists() else found[0]

    parts = _FENCED.split(text)
    return "".join(part if at % 2 else _GUIDE.sub(guided, _LINK.sub(replaced, part)) for at, part in enumerate(parts))


def _relative(page: str, place: str) -> str:
    return posixpath.relpath(place, posixpath.dirname(page) or ".")


# Measures and relations


def _plain(text: str) -> str:
    """Text of a header as Markdown shows it unchanged, but for links to what it cites."""
    shown = re.sub(r"([*_\[\]|])", r"\\\1", html.escape(text, quote=False))
    return re.sub(r"doi:(10\.\S+?)(?=[,;.)]*(?:\s|$))", lambda doi: f"<https://doi.org/{html.unescape(doi[1])}>", shown)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table, or nothing if it has no rows."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return ["", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *lines, ""] if lines else []


def _parameters(relation: Relation) -> list[str]:
    rows = []
    for each in relation.parameters:
        domain = f" in {each.domain}" if each.domain else ""
        rows.append((f"`{each.name}`", f"`{each.type}{domain} = {literal(each.default)}`", _plain(each.meaning)))
    return _table(("parameter", "type and default", "meaning"), rows)


@cache
def _types() -> dict[tuple[str, str], str]:
    """Types of the columns of tables and views."""
    with evalsql.open(":memory:") as warehouse:
        rows = warehouse.rows("select table_name, column_name, lower(data_type) from duckdb_columns()")
    return {(relation, column): kind for relation, column, kind in rows}


def _columns(relation: Relation) -> list[str]:
    types = {name: _types().get((relation.name, name), "") for name in relation.columns}
    rows = [(f"`{name}`", types[name], _plain(meaning)) for name, meaning in relation.columns.items()]
    if not any(row[1] for row in rows):
        return _table(("column", "holds"), [(row[0], row[2]) for row in rows])
    return _table(("column", "type", "holds"), rows)


def _sql(relation: Relation, page: str, *, is_open: bool) -> Iterator[str]:
    yield f'???{"+" * is_open} note "{relation.path.relative_to(ROOT).as_posix()}"\n'
    yield from ("    " + line for line in ("```sql", *relation.body.splitlines(), "```", ""))
    read = sorted({*relation.reads, *relation.calls, *relation.header.ties.values()} & CATALOG.relations.keys())
    if read:
        yield f"It reads {', '.join(_to(name, page) for name in read)}.\n"


def _to(name: str, page: str) -> str:
    """A link to a relation."""
    return f"[`{name}`]({_relative(page, _relation_place(CATALOG[name]))})"


def _alias(alias: Alias) -> str:
    given = ", ".join(f"{name} = {value}" for name, value in alias.presets.items())
    return f"`{alias.name}`{f' (with `{given}`)' if given else ''}"


def _measure(relation: Relation) -> Iterator[str]:
    header, page = relation.header, f"measures/{relation.name}.md"
    yield from (f"# {header.measure}: {_plain(header.title)}\n", "## Definition\n", _plain(header.definition), "")
    low, high = header.range.split()
    yield f"Values are from {low} to {high}. The mean over topics is {header.mean}."
    yield f"{'The least value is the best.' * header.less_is_better}\n"
    names = [*map(_alias, header.aliases), *(f"trec_eval's {_alias(each)}" for each in header.trec_eval)]
    yield f"Other names: {', '.join(names)}.\n" if names else ""
    yield from ("## Parameters\n", *_parameters(relation)) if relation.parameters else ()
    yield from ("## Columns\n", *_columns(relation))
    yield "## Worked example\n"
    for case, examples in groupby(header.examples, lambda text: text.partition(" ")[0]):
        lines = (f"- `{each.partition(' ')[2]}`" for each in examples)
        yield "\n".join((f"Of the case [{case}](examples.md#{case}), which shows the arithmetic:\n", *lines, ""))
    yield from ("## Where programs differ\n", _plain(header.differs), "") if header.differs else ()
    yield from ("## Reference\n", _plain(header.reference), "") if header.reference else ()
    yield from ("## SQL\n", *_sql(relation, page, is_open=True))
    for order, name in header.ties.items():
        yield f"Under `ties = '{order}'` its rows come from {_to(name, page)}.\n"


def _relations() -> Iterator[tuple[str, str]]:
    """A page for each folder of ``sql``."""
    parts: dict[str, list[str]] = {f"sql/{folder}.md": [f"# {title}\n"] for folder, title in FOLDERS.items()}
    for relation in CATALOG.relations.values():
        page, _, part = _relation_place(relation).partition("#")
        if not relation.is_measure:
            title, definition = _plain(relation.header.title), _plain(relation.header.definition)
            parts[page] += [f"## {relation.name} {{ #{part} }}\n", f"{title}.\n", definition, *_parameters(relation)]
            parts[page] += [*_columns(relation), *_sql(relation, page, is_open=False)]
    yield from ((page, "\n".join(lines)) for page, lines in parts.items())


def _cases() -> Iterator[str]:
    """The worked examples that headers of measures name: their arithmetic and their files."""
    named = {example.partition(" ")[0] for measure in CATALOG.measures for example in measure.header.examples}
    for case in sorted(named):
        yield f"\n\n## {case} {{ #{case} }}\n\n{(FIXTURES / case / 'README.md').read_text(encoding='utf-8')}\n"
        for path in sorted((FIXTURES / case).rglob("*")):
            if path.is_file() and path.name != "README.md" and not path.name.startswith("expected"):
                text = path.read_text(encoding="utf-8").rstrip().splitlines()
                block = "\n".join("    " + line for line in ("```text", *text, "```"))
                yield f'\n??? note "{path.relative_to(FIXTURES).as_posix()}"\n\n{block}\n'


# Commands


def _commands(group: str, names: Sequence[str]) -> Iterator[str]:
    root: Any = get_command(app.app)
    context = typer.Context(root, info_name="evalsql", **root.context_settings)
    yield f"# {group}\n"
    for name in names:
        yield from _command(root.get_command(context, name), context, name)


def _command(command: Any, above: typer.Context, name: str) -> Iterator[str]:
    context = typer.Context(command, info_name=name, parent=above)
    yield f"## {context.command_path} {{ #{context.command_path.replace(' ', '-')} }}\n"
    text, _, example = command.help.partition("Example: ")
    yield _help(text)
    yield f"```sh\n{example.strip()}\n```\n"
    yield f"Usage: `{' '.join((context.command_path, *command.collect_usage_pieces(context)))}`\n"
    rows: dict[str, list[tuple[str, str]]] = {}
    for each in command.get_params(context):
        own = "Arguments" if each.param_type_name == "argument" else "Options"
        if record := each.get_help_record(context):
            names, meaning = record
            heading = getattr(each, "rich_help_panel", None) or own
            rows.setdefault(heading, []).append((f"`{names.replace('|', BAR)}`", _help(meaning)))
    for heading in sorted(rows, key=lambda each: (each != "Arguments", each != "Options")):
        yield "\n".join(_table((heading, "meaning"), rows[heading]))
    for inner in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _command(command.get_command(context, inner), context, inner)


def _help(text: str) -> str:
    """Text of the command line, with guides and options as code."""
    return _CODE.sub(r"`\g<0>`", _plain(text))
