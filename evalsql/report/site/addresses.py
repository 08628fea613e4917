"""Where the pages of a site are, and links between them: a file's name for every run, topic, set and measure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from evalsql.catalog.relations import Catalog
from evalsql.report.html import link
from evalsql.report.site.site_data import SetResults

MEASURES, CONSOLE = "measures/index.html", "sql.html"
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


def _candidates(name: str) -> Iterable[str]:
    if _SAFE.fullmatch(name) and not _TAKEN.fullmatch(name.partition(".")[0]) and not _HASHED.fullmatch(name):
        yield name
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "x"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(8, len(digest) + 1):
        yield f"{words}-{digest[:length]}"


def query_link(to_root: str, sql: str) -> str:
    """The address of the console with a query in it."""
    return f"{to_root}{CONSOLE}#q={quote(sql, safe='')}"


class SiteAddresses:
    """Where every page is, from the root of the site."""

    def __init__(self, found: Sequence[SetResults], catalog: Catalog) -> None:
        self.sets = Addresses(results.qrels for results in found)
        self._systems = Addresses(run for results in found for run in results.report.runs)
        self._topics = {results.qrels: Addresses(results.report.topics) for results in found}
        self._measures = Addresses(relation.name for relation in catalog.measures)

    def of_set(self, qrels: str, page: str = "index") -> str:
        """A page of a judgment set: index, topics or report."""
        return f"sets/{self.sets[qrels]}/{page}.html"

    def topic(self, qrels: str, topic: str) -> str:
        return f"sets/{self.sets[qrels]}/topics/{self._topics[qrels][topic]}.html"

    def system(self, run: str) -> str:
        return f"systems/{self._systems[run]}.html"

    def measure(self, relation: str) -> str:
        return f"measures/{self._measures[relation]}.html"


class Links:
    """The links of one page: HTML."""

    def __init__(self, addresses: SiteAddresses, page: str) -> None:
        self._addresses = addresses
        self._to_root = to_root(page)

    def system(self, run: str) -> str:
        return link(self._to_root + self._addresses.system(run), run)

    def topic(self, qrels: str, topic: str) -> str:
        return link(self._to_root + self._addresses.topic(qrels, topic), topic)

    def measure(self, relation: str, words: object) -> str:
        return link(self._to_root + self._addresses.measure(relation), words)

    def query(self, sql: str, words: str) -> str:
        """The console with a query in it."""
        return link(query_link(self._to_root, sql), words)

    def other(self, address: str, words: str) -> str:
        """A page by its address from the root."""
        return link(self._to_root + address, words)


def to_root(address: str) -> str:
    return "../" * address.count("/")
