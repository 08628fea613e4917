"""The page on which readers ask in SQL: DuckDB-Wasm opens the site's copy of the warehouse in their browser."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path

from evalsql.catalog import SQL_ROOT
from evalsql.catalog.measure_names import literal, quoted
from evalsql.catalog.relations import Catalog
from evalsql.errors import UsageError
from evalsql.phrases import counted
from evalsql.report.html import embedded_json
from evalsql.report.site.published_copy import Copy
from evalsql.report.site.site_data import SetResults
from evalsql.report.site.site_parts import CONSOLE, HOME, Page

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
_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "script-src 'self' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'self' blob:"
)
_SCRIPTS = ("search.js", "duckdb.js", "results.js", "completion.js", "console.js")
_QUESTION = re.compile(r"^\*\*\d+\. (.*?)\*\*.*?^```sql\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DEMONSTRATED = ("rerank-large", "hybrid", "bm25", "dense")  # runs that the questions name, the best first
_SHOWN = ("measures", "reports", "statistics", "tables")  # what is completed; steps are of no use to readers
_EXAMPLES = ("rankings", "judgments", "scores", "summary", "comparisons(baseline)", "tie_effects")


def questions(runs: Sequence[str]) -> list[tuple[str, str]]:
    """The questions of the SQL's page with their SQL, about runs that are here: the best first."""
    found = _QUESTION.findall((SQL_ROOT / "README.md").read_text(encoding="utf-8").partition("## Ten questions")[2])
    return [(question, about(sql.strip(), runs)) for question, sql in found]


def about(sql: str, runs: Sequence[str]) -> str:
    """The same SQL about these runs, where it names runs of the demonstration that are not among them."""
    others = [run for run in runs if run not in _DEMONSTRATED]
    for at, name in enumerate(_DEMONSTRATED):
        if name not in runs and others:
            other = others[min(at, len(others) - 1)]
            column = quoted(other).replace("\\", r"\\")
            sql = sql.replace(literal(name), literal(other))
            sql = re.sub(rf"\bas {name.replace('-', '_')}(?=\W)", f"as {column}", sql)
    return sql


def console_page(found: Sequence[SetResults], catalog: Catalog, copy: Copy, engine: str) -> Page:
    """The console; ``engine`` is the address of the folder with DuckDB-Wasm, from the root or of a CDN."""
    asked = questions(found[0].report.runs)
    origin = re.match(r"https://[^/]+", engine)
    policy = f"{_POLICY} {origin[0]}" if origin else _POLICY
    head = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
    buttons = "".join(
        f'<li><button type="button" class="link ask" data-sql="{escape(sql)}">{escape(question)}</button></li>'
        for question, sql in asked
    )
    some = (*_EXAMPLES, f"ndcg(k) ap() p(k) rbp(p) \u2026 {counted(len(catalog.measures), 'measure')}")
    relations = " ".join(f"<code>{escape(each)}</code>" for each in some)
    body = f"""<div class="console">
<div class="questions"><h2>Ask one of these</h2><ul>{buttons}</ul>
<h2>Relations to ask</h2><p class="note">{relations}</p></div>
<div class="work">
<form id="ask"><div class="editor"><label class="hidden" for="sql">SQL</label>
<textarea id="sql" rows="8" spellcheck="false" autocapitalize="off" autocomplete="off"
aria-describedby="how">{escape(asked[0][1])}</textarea>
<ul id="completions" role="listbox" aria-label="Completions" hidden></ul></div>
<div class="doing"><button type="submit" class="run">Run</button><button type="button" id="stop" hidden>Stop</button>
<span class="note" id="how">Ctrl + Enter runs, Tab completes</span>
<span class="note">Runs in this page, on a copy of the warehouse; nothing is sent.</span></div></form>
<p id="status" role="status" class="note">The first query fetches DuckDB-Wasm {_VERSION} (37 MB) and the warehouse
({copy.size / 1e6:.1f} MB).</p>
<noscript><p>The console needs JavaScript. The other pages do not.</p></noscript>
<div id="results"></div>
<p class="note">{escape(_limits(copy))}</p>
</div></div>
<script type="application/json" id="console-data">{embedded_json(_data(catalog, copy, engine))}</script>"""
    summary = "the whole warehouse" if copy.depth is None else f"the first {copy.depth} documents of each ranking"
    return Page(CONSOLE[1], "Ask in SQL", summary, body, [HOME], head, _SCRIPTS)


def _limits(copy: Copy) -> str:
    """What the console computes, and what it does not."""
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
    """Copy what the console needs of an unpacked package into a site; returns its address there.

    Raises:
        UsageError: the folder lacks a file, or has one of another version.
    """
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
