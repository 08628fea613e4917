"""The page on which readers ask in SQL, and the copy of the warehouse that it asks, by DuckDB-Wasm in their browser."""

import base64
import gzip
import hashlib
import re
import shutil
from collections.abc import Sequence
from contextlib import closing
from math import isclose
from pathlib import Path
from string import Template
from typing import NamedTuple

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.measure_names import default_measure
from evalsql.catalog.relations import Catalog
from evalsql.database.database import Database
from evalsql.errors import UsageError
from evalsql.ingest.files.trec_text import one_path
from evalsql.literals import literal, literals, quoted
from evalsql.phrases import counted
from evalsql.report.html import embedded_json, text
from evalsql.report.site.site_parts import BOARD, CONSOLE, FILES, HOME, Links, Page, SetResults
from evalsql.warehouse.archive import MADE_TABLES, insert_rows, make_added
from evalsql.warehouse.open import Reach, open_database

NAME = "warehouse.duckdb"
DEPTH = 50  # documents of each ranking that a copy holds at least
MOST_WHOLE = 100_000_000  # bytes up to which the file is packed and read as a whole; a larger one is read in ranges
_PACKAGE = "@duckdb/duckdb-wasm"
_VERSION = "1.33.1-dev65.0"  # of the package; its engine is DuckDB 1.5.6
_WORKER, _WASM = "duckdb-browser-eh.worker.js", "duckdb-eh.wasm"
CDN = f"https://cdn.jsdelivr.net/npm/{_PACKAGE}@{_VERSION}/dist/"
_FOLDER = "duckdb/"
# The page takes no other files than these, whoever serves them.
_SUMS = {
    _WORKER: "sha384-i0OQ1Tgir74BLt97iOu3RSuiEcSDVbaruBGyjCxyRr7sy49oVfmp30r28o6Lthc0",
    _WASM: "sha384-7RMibfLYcsAQjQ7gJ9HVOjkqJQ8wcBjoSD4fIY+ZCz7uLGWCPotv7FQ/u4JFyHVT",
}
_CUT_RANKINGS = """
    select 1 from run_topics
    left join (select run_id, topic_id, count(*) as num_held from retrieved group by all) as held
        using (run_id, topic_id)
    where coalesce(num_held, 0) < num_ret limit 1
"""
_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "script-src 'self' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'self' blob:"
)
_BODY = Template((FILES / "console.html").read_text(encoding="utf-8"))
_SCRIPTS = ("search.js", "duckdb.js", "results.js", "completion.js", "console.js")
_QUESTION = re.compile(r"^\*\*\d+\. (.*?)\*\*.*?^```sql\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DEMONSTRATED = ("rerank-large", "hybrid", "bm25", "dense")  # runs that the questions name, the best first
_WHOLE = ("warehouse", "added_relations")  # tables that are not about runs and judgments
_SHOWN = ("measures", "reports", "statistics", "tables")  # what is completed; steps are of no use to readers
_EXAMPLES = ("rankings", "judgments", "scores", "summary", "comparisons(baseline)", "tie_effects")


class Copy(NamedTuple):
    """A file of the site with what readers can ask for."""

    file: str
    size: int
    is_packed: bool
    depth: int | None  # documents of each ranking at least; None is all
    partial: frozenset[str]  # relations that read whole rankings, and so may give other figures there
    exact: frozenset[str]  # calls of those measures among them whose values at the defaults are the same nevertheless


def write_copy(database: Database, found: Sequence[SetResults], folder: Path, depth: int | None) -> Copy:
    """Write the copy of what these results show; it holds ``depth`` documents of each ranking at least, None is all."""
    path, rows = folder / NAME, folder / "rows"
    rows.mkdir()
    # Rows travel by files, since the database may be a server's, or open for reading only.
    for table, query in _selected(database, found, depth).items():
        database.copy(query, rows / f"{table}.parquet", "format parquet, compression lz4")
    with closing(open_database(str(path), reach=Reach(folders=[str(rows), one_path(rows)]))) as copy:
        copy.execute("set threads = 1")  # so that the same rows make the same file
        with copy.transaction():
            for relation in copy.catalog.of_kind("tables"):
                if relation.name not in MADE_TABLES:
                    copy.execute(f"delete from main.{quoted(relation.name)}")
                    insert_rows(copy, relation, rows / f"{relation.name}.parquet")
            make_added(copy)  # a user's own measures beside those of the package
        copy.execute("reset threads")
        is_cut = depth and database.rows("select 1 from retrieved limit 1") and copy.rows(_CUT_RANKINGS)
        partial = _reading_rankings(copy.catalog) if is_cut else frozenset()
        exact = frozenset(filter(None, (_if_exact(database, copy, found, name) for name in sorted(partial))))
        copy.execute("checkpoint")
    shutil.rmtree(rows)
    if is_packed := path.stat().st_size <= MOST_WHOLE:
        content = gzip.compress(path.read_bytes(), compresslevel=6, mtime=0)  # the same bytes from the same file
        path.unlink()
        path = folder / f"{NAME}.gz"
        path.write_bytes(content)
    return Copy(path.name, path.stat().st_size, is_packed, depth if is_cut else None, partial, exact)


def _selected(database: Database, found: Sequence[SetResults], depth: int | None) -> dict[str, str]:
    """By base table the SELECT of the rows that the copy holds: those whose keys are of its runs and judgment sets.

    A table without such keys is empty there: a corpus is not published by the way, nor what meta was before.
    """
    runs = ", ".join(sorted({literal(run) for results in found for run in results.runs}))
    sets = ", ".join(sorted({literal(results.qrels) for results in found}))
    of_runs = f"run_id in (select run_id from main.runs where run in ({runs}))"
    of_sets = f"qrels_id in (select qrels_id from main.qrels where qrels in ({sets}))"
    of_both = f"evaluation_id in (select evaluation_id from main.evaluations where {of_runs} and {of_sets})"
    conditions = {"run_id": of_runs, "qrels_id": of_sets, "evaluation_id": of_both}
    tables = [each for each in database.catalog.of_kind("tables") if each.name not in MADE_TABLES]
    columns = {each.name: each.stored_columns for each in tables}
    selected = {name: f"select {', '.join(map(quoted, columns[name]))} from main.{quoted(name)}" for name in columns}
    chosen = {}
    for table, query in selected.items():
        own = [condition for key, condition in conditions.items() if key in columns[table]]
        chosen[table] = f"{query} where {' and '.join(own) or table in _WHOLE}"
    owned = f"coalesce({of_runs}, true) and coalesce({of_sets}, true) and coalesce(run_id, qrels_id) is not null"
    owners = f"select kind, id from ({database.query('file_owners')}) where {owned}"
    chosen["files"] = f"{selected['files']} where (kind, id) in ({owners})"
    if depth:
        depths = database.query("published_depths", depth=depth)
        chosen["retrieved"] = (
            f"{selected['retrieved']} join ({depths}) as published using (run_id, topic_id) "
            f"where rank <= published.depth and {of_runs}"
        )
        cut = f"run_id in (select run_id from main.run_topics where num_ret > {depth:d})"
        held = f"case when {cut} then least(coalesce(depth, {depth:d}), {depth:d}) else depth end as depth"
        chosen["runs"] = f"select * replace ({held}) from ({chosen['runs']})"
        chosen["call_ranks"] += f" and rank <= {depth:d}"
    chosen["retrieved"] += " order by run_id, topic_id, rank"
    for table, key in (("documents", "document_id"), ("topics", "topic_id")):
        holders = [name for name in columns if key in columns[name] and name != table]
        held = " union ".join(f"select {key} from ({chosen[name]})" for name in holders)
        chosen[table] = f"select * from main.{table} where {key} in ({held}) order by {key}"
    return chosen


def _reading_rankings(catalog: Catalog) -> frozenset[str]:
    """Relations that read the table of whole rankings, by whatever detour."""
    found: set[str] = set()
    for relation in catalog.build_order():
        if "retrieved" in relation.reads or found & (relation.reads | set(relation.header.ties.values())):
            found.add(relation.name)
    return frozenset(found)


def _if_exact(database: Database, copy: Database, found: Sequence[SetResults], name: str) -> str:
    """The call of a measure at its defaults, if its values are the same in the copy; else nothing."""
    relation = copy.catalog[name]
    is_ours = name in database.catalog.relations and relation not in database.catalog.own
    if not relation.is_measure or not is_ours:  # one of a stranger's file may never end
        return ""
    sets = literals(results.qrels for results in found)
    runs = literals(run for results in found for run in results.runs)
    asked = f"select qrels, run, topic, value from {name}() where qrels in ({sets}) and run in ({runs}) order by all"
    theirs, ours = database.rows(asked), copy.rows(asked)
    same = len(theirs) == len(ours) and all(
        one[:3] == other[:3] and isclose(one[3], other[3], rel_tol=0, abs_tol=1e-12)
        for one, other in zip(theirs, ours, strict=True)
    )
    at = relation.header.at
    cutoff = default_measure(relation).arguments.get(at)
    return "" if not same else f"{name}({at} := {cutoff})" if cutoff is not None else f"{name}()"


def questions(runs: Sequence[str], *, on_boards: bool = False) -> list[tuple[str, str]]:
    """The questions of the SQL's page with their SQL, about runs that are here: the best first."""
    _, about_runs, about_boards = (SQL_ROOT / "README.md").read_text(encoding="utf-8").split("## Ten questions")
    found = _QUESTION.findall(about_runs + about_boards * on_boards)
    return [(question, about(sql.strip(), runs)) for question, sql in found]


def about(sql: str, runs: Sequence[str]) -> str:
    """The same SQL about these runs, where it names runs of the demonstration that are not among them."""
    others = [run for run in runs if run not in _DEMONSTRATED]
    put: dict[str, str] = {}
    for at, name in enumerate(_DEMONSTRATED):
        if name not in runs and others:
            other = others[min(at, len(others) - 1)]
            put |= {literal(name): literal(other), f"as {name.replace('-', '_')}": f"as {quoted(other)}"}
    # At once, as a name that is put there may have another one in it.
    return re.sub("|".join(rf"(?<!\w){each}(?!\w)" for each in put), lambda found: put[found[0]], sql) if put else sql


def console_page(links: Links, copy: Copy, engine: str) -> Page:
    """The console; ``engine`` is the address of the folder with DuckDB-Wasm, from the root or of a CDN."""
    catalog, asked = links.catalog, questions(links.found[0].runs, on_boards=BOARD in links.bar)
    origin = re.match(r"https://[^/]+", engine)
    policy = f"{_POLICY} {origin[0]}" if origin else _POLICY
    head = f'<meta http-equiv="Content-Security-Policy" content="{text(policy)}">\n'
    buttons = "".join(
        f'<li><button type="button" class="link ask" data-sql="{text(sql)}">{text(question)}</button></li>'
        for question, sql in asked
    )
    some = (*_EXAMPLES, f"ndcg(k) ap() p(k) rbp(p) \u2026 {counted(len(catalog.measures), 'measure')}")
    relations = " ".join(f"<code>{text(each)}</code>" for each in some)
    body = _BODY.substitute(
        buttons=buttons,
        relations=relations,
        first=text(asked[0][1]),
        version=_VERSION,
        size=f"{copy.size / 1e6:.1f}",
        limits=text(_limits(copy)),
        data=embedded_json(_data(catalog, copy, engine)),
    )
    summary = "the whole warehouse" if copy.depth is None else f"the first {copy.depth} documents of each ranking"
    return Page(CONSOLE[1], "Ask in SQL", summary, body, [HOME], head, _SCRIPTS)


def _limits(copy: Copy) -> str:
    if copy.depth is None:
        return "Every measure is computed here, from the whole rankings and judgments."
    exact = [call for call in sorted(copy.exact) if ":=" in call]
    also = f" {' and '.join(exact)} is exact: what it takes is there." if exact else ""
    return (
        "Measures are computed here from all judged documents with their ranks, whatever their arguments. Of other "
        f"documents this copy has the first {copy.depth} of each ranking. What reads whole rankings gives other "
        f"figures here than in the warehouse, and the console says so beside them.{also}"
    )


def _data(catalog: Catalog, copy: Copy, engine: str) -> dict[str, object]:
    """What the page's script knows; of each relation that readers ask the name, signature, title and columns."""
    relations: list[tuple[str, str, str, list[str]]] = [
        ("scores", "", "Values of the common measures", ["qrels", "run", "topic", "measure", "value"])
    ]
    for each in catalog.of_kind(*_SHOWN):
        if each.family != "steps":
            given = ", ".join(parameter.name for parameter in each.parameters)
            signature = f"({given})" if each.parameters or each.is_measure else ""
            relations.append((each.name, signature, each.header.title, list(each.columns)))
    return {
        "file": copy.file,
        "packed": copy.is_packed,
        "worker": engine + _WORKER,
        "wasm": engine + _WASM,
        "sums": [*_SUMS.values()],
        "depth": copy.depth,
        "partial": sorted(copy.partial),
        "exact": sorted(copy.exact),
        "relations": sorted(relations),
    }


def copy_engine(source: Path, site: Path) -> str:
    """Copy what the console needs of an unpacked package into a site; UsageError if it is not all of its version."""
    how = f"npm pack {_PACKAGE}@{_VERSION} fetches the package, tar -xzf unpacks it"
    folders = [each for each in (source / "dist", source / "package" / "dist", source) if (each / _WASM).is_file()]
    if not folders:
        raise UsageError(f"{source} contains no {_WASM}; {how}")
    (site / _FOLDER).mkdir()
    for name, expected in _SUMS.items():
        path = folders[0] / name
        if not path.is_file():
            raise UsageError(f"{path.parent} contains no {name}; {how}")
        # As browsers check it.
        if f"sha384-{base64.b64encode(hashlib.sha384(path.read_bytes()).digest()).decode()}" != expected:
            raise UsageError(f"{path}: does not belong to version {_VERSION}; {how}")
        shutil.copyfile(path, site / _FOLDER / name)
    return _FOLDER
