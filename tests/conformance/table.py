"""Writes who computes what: ``python -m tests.conformance.table [FOLDER]``.

It makes an environment for each package of packages.toml in the folder, asks its adapter for all cases of conformance,
judges the values, and writes fixtures/conformance/packages.tsv and the guide evalsql/docs/packages.md. Values that the
folder has already are not computed again. ``--only NAME`` computes those of one package, ``--forget`` removes each
environment after use.
"""

import argparse
import csv
import json
import math
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from evalsql.conformance import CASES, Verdict, judge
from evalsql.conformance.check import ERROR, Given

HERE = Path(__file__).resolve().parent
TABLE = CASES / "packages.tsv"
COLUMNS = ("date", "package", "version", "asked", "measure", "variant", "agrees", "without_value", "conventions")
Values = Mapping[tuple[str, str], Given]


@dataclass(frozen=True)
class Note:
    """What the source says where a measure follows no variant, or not everywhere."""

    measures: list[str]
    kind: str
    where: str
    text: str
    driver: str = "value"


@dataclass(frozen=True)
class Package:
    """A package of a registry, at one version, and its adapter."""

    name: str
    version: str
    adapter: str
    requires: list[str]
    drivers: dict[str, str]
    by_adapter: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def values(self, driver: str, folder: Path) -> Values:
        """What the adapter gives for each case, computed in the folder or kept there."""
        kept = folder / "values" / f"{self.name}-{self.version}-{driver}.json"
        if not kept.exists():
            print(f"{self.name} {self.version} {driver}", file=sys.stderr)
            command = [str(self._python(folder)), str(HERE / "drive.py"), f"{self.adapter}:{driver}"]
            found = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=1200)
            if found.returncode != 0:
                raise SystemExit(f"{self.name}: {found.stderr[-2000:]}")
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(found.stdout, encoding="utf-8")
        return {(case, measure): value for case, measure, value in json.loads(kept.read_text(encoding="utf-8"))}

    def environment(self, folder: Path) -> Path:
        return folder / "environments" / self.adapter

    def _python(self, folder: Path) -> Path:
        python = self.environment(folder) / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", self.environment(folder)], check=True)
            wanted = [f"{self.name}=={self.version}", *self.requires]
            subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        return python


def read_file() -> dict[str, Any]:
    """What packages.toml says."""
    return tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))


def packages() -> list[Package]:
    """The packages that have measures."""
    read = read_file()
    return [Package(notes=[Note(**note) for note in each.pop("note", [])], **each) for each in read["package"]]


def verdicts(values: Values) -> Iterator[tuple[Verdict, int]]:
    """A verdict for each measure over the cases with a value, and in how many cases there is none."""
    whole = {each.measure: each for each in judge(values)}
    given = {each.measure: each for each in judge({key: each for key, each in values.items() if _is_number(each)})}
    for measure, verdict in whole.items():
        best = verdict if verdict.variant else given.get(measure, verdict)
        yield best, verdict.num_cases - best.num_cases


def _is_number(given: Given) -> bool:
    return not (isinstance(given, str) and given.startswith(ERROR)) and not math.isnan(float(given or 0))


def rows(package: Package, folder: Path, today: str) -> Iterator[dict[str, str]]:
    """A line of the table for each measure of a package."""
    for driver, asked in package.drivers.items():
        for verdict, num_without in verdicts(package.values(driver, folder)):
            held = {axis: left for axis, left in verdict.conventions.items() if axis not in package.by_adapter}
            yield {
                "date": today,
                "package": package.name,
                "version": package.version,
                "asked": asked,
                "measure": verdict.measure,
                "variant": verdict.variant or "",
                "agrees": f"{verdict.num_agreeing} of {verdict.num_cases}",
                "without_value": str(num_without),
                "conventions": json.dumps(held) if verdict.variant else "{}",
            }


def read_table() -> list[dict[str, Any]]:
    """The lines of packages.tsv."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def main() -> None:
    from tests.conformance import packages_page

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(tempfile.gettempdir()) / "conformance-packages")
    parser.add_argument("--only", metavar="NAME", help="compute the values of this package again")
    parser.add_argument("--forget", action="store_true", help="remove each environment after use")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found: list[dict[str, str]] = []
    for package in packages():
        if asked.only == package.name:
            for kept in (folder / "values").glob(f"{package.name}-{package.version}-*.json"):
                kept.unlink()
        found += rows(package, folder, date.today().isoformat())
        if asked.forget:
            shutil.rmtree(package.environment(folder), ignore_errors=True)
    with TABLE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(
            lines, COLUMNS, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
        )
        writer.writeheader()
        writer.writerows(found)
    packages_page.write()


if __name__ == "__main__":
    main()
