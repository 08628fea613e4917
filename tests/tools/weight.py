"""How much there is to read: ``python -m tests.tools.weight`` prints modules and lines of each package.

``--write`` puts the table into ``evalsql/README.md``.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.tools.marked import write_part
from tests.tools.readme import ROOT

PACKAGE = ROOT / "evalsql"
PAGE = PACKAGE / "README.md"


def num_lines(module: Path) -> int:
    return len(module.read_text(encoding="utf-8").splitlines())


def weights() -> Iterator[tuple[str, int, int]]:
    """Name, modules and lines of each package, of the whole and of its tests."""
    packages = {
        **{f"`{path.parent.name}`": [*path.parent.rglob("*.py")] for path in sorted(PACKAGE.glob("*/__init__.py"))},
        "beside them": [*PACKAGE.glob("*.py")],
        "all": [*PACKAGE.rglob("*.py")],
        "tests": [*(ROOT / "tests").rglob("*.py")],
    }
    for name, modules in packages.items():
        yield name, len(modules), sum(map(num_lines, modules))


def table() -> str:
    rows = [f"| {name} | {modules} | {lines:,} |" for name, modules, lines in weights()]
    return "\n".join(["| package | modules | lines |", "|---|--:|--:|", *rows])


def main() -> None:
    if "--write" in sys.argv[1:]:
        write_part(PAGE, "weight", table())
        return
    print(table())


if __name__ == "__main__":
    main()
