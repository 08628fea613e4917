"""Where the pages of a site are: a file's name for every run, topic, judgment set and measure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from evalsql.catalog.relations import Catalog
from evalsql.report.site.parts import link
from evalsql.report.site.site_data import Results

_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9])?")
_TAKEN = re.compile(r"index|con|prn|aux|nul|(?:com|lpt)[0-9]")  # some of them are no files on Windows
_HASHED = re.compile(r".*-[0-9a-f]{8,}")


class Addresses:
    """Names of files for names of anything: safe on every system, never the same for two names.

    A name goes by itself where it can, else it is shortened and a digest of it put behind. So it keeps its address
    whatever else is loaded.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._files: dict[str, str] = {}
        taken: set[str] = set()
        for name in sorted(set(names)):
            file = next(each for each in _candidates(name) if each not in taken)
            taken.add(file)
            self._files[name] = file

    def __getitem__(self, name: str) -> str:
        return self._files[name]

    def __contains__(self, name: str) -> bool:
        return name in self._files


def _candidates(name: str) -> Iterable[str]:
    if _SAFE.fullmatch(name) and not _TAKEN.fullmatch(name.partition(".")[0]) and not _HASHED.fullmatch(name):
        yield name
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "x"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(8, len(digest) + 1):
        yield f"{words}-{digest[:length]}"


def query_link(to_root: str, sql: str) -> str:
    """The address of the console with a query in it."""
    return f"{to_root}sql.html#q={quote(sql, safe='')}"


MEASURES = "measures/index.html"
CONSOLE = "sql.html"


class Places(NamedTuple):
    """The files' names of judgment sets, runs, topics (by judgment set) and relations of measures."""

    sets: Addresses
    systems: Addresses
    topics: dict[str, Addresses]
    measures: Addresses

    def of_set(self, qrels: str) -> str:
        return f"sets/{self.sets[qrels]}/index.html"

    def report(self, qrels: str) -> str:
        return f"sets/{self.sets[qrels]}/report.html"

    def topic_list(self, qrels: str) -> str:
        return f"sets/{self.sets[qrels]}/topics.html"

    def topic(self, qrels: str, topic: str) -> str:
        return f"sets/{self.sets[qrels]}/topics/{self.topics[qrels][topic]}.html"

    def system(self, run: str) -> str:
        return f"systems/{self.systems[run]}.html"

    def measure(self, relation: str) -> str:
        return f"measures/{self.measures[relation]}.html"

    def system_link(self, root: str, run: str) -> str:
        return link(root + self.system(run), run)


def places(found: Sequence[Results], catalog: Catalog) -> Places:
    return Places(
        Addresses(results.qrels for results in found),
        Addresses(run for results in found for run in results.report.runs),
        {results.qrels: Addresses(results.report.topics) for results in found},
        Addresses(relation.name for relation in catalog.measures),
    )
