"""The guide on packages, its table and packages.toml say the same; no package is installed for that."""

import csv
import importlib
import re

import pytest

from evalsql.conformance import suite
from tests.conformance import packages_page
from tests.conformance.table import COLUMNS, HERE, TABLE, Package, packages, read_table
from tests.tools.measures_page import who

PACKAGES = {package.name: package for package in packages()}


def test_the_table_has_the_packages_and_versions_that_are_asked() -> None:
    table = read_table()
    assert {(row["package"], row["version"], row["asked"]) for row in table} == {
        (package.name, package.version, asked) for package in PACKAGES.values() for asked in package.drivers.values()
    }
    assert len(PACKAGES) >= 12
    assert {row["measure"] for row in table} <= set(suite().variants)
    with TABLE.open(encoding="utf-8", newline="") as lines:
        assert next(csv.reader(lines, delimiter="\t")) == list(COLUMNS)


def test_the_guide_is_made_of_the_table() -> None:
    text = packages_page.PAGE.read_text(encoding="utf-8")
    assert text.partition(packages_page.BEGIN)[2].partition(packages_page.END)[0] == packages_page.between()


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_every_package_is_pinned_has_an_adapter_and_says_where_its_source_differs(package: Package) -> None:
    adapter = (HERE / "adapters" / f"{package.adapter}.py").read_text(encoding="utf-8")
    assert all(f"\ndef {driver}(" in adapter for driver in package.drivers)
    assert "evalsql" not in adapter
    assert len(adapter.splitlines()) <= 60
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", each) for each in package.requires)
    for note in package.notes:
        assert note.kind in packages_page.KINDS
        assert note.driver in package.drivers
        assert re.fullmatch(r"[\w/]+\.(py|pl):\d+", note.where), note.where


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_every_measure_without_a_variant_or_a_value_has_a_reason(package: Package) -> None:
    for row in read_table():
        if row["package"] == package.name and (not row["variant"] or row["without_value"] != "0"):
            reasons = [note for note in package.notes if not note.measures or row["measure"] in note.measures]
            assert reasons, f"{package.name} {row['measure']}"


def test_the_measures_page_counts_packages() -> None:
    rows = [
        {"package": name, "measure": measure, "variant": variant}
        for name, measure, variant in (("a", "AP", "x"), ("b", "AP", "y"), ("c", "AP", "y"), ("a", "AP@k", ""))
    ]
    assert who("AP", rows) == "AP: y 2, x 1; AP@k: none 1"
    assert who("RR", rows) == ""


def test_what_the_adapters_share_orders_and_averages_as_the_guide_says() -> None:
    common = importlib.import_module("tests.conformance.adapters.common")
    assert common.ranked({"d1": 1.0, "d2": 2.0, "d3": 1.0}) == ["d2", "d1", "d3"]
    assert common.mean({"T1": {"d1": 1}, "T2": {"d1": 1}}, {"T1": {"d1": 1.0}}, lambda _, ranking: len(ranking)) == 0.5
