"""Addresses of all pages of a site, and links between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evalsql.catalog.relations import Catalog
from evalsql.report.site.addresses import Addresses
from evalsql.report.site.parts import link
from evalsql.report.site.results import Results

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
        Addresses(run for results in found for run in results.overview.runs),
        {results.qrels: Addresses(results.overview.topics) for results in found},
        Addresses(relation.name for relation in catalog.measures),
    )
