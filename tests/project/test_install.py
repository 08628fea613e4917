"""What is built is whole: installed alone in an empty environment, it runs the demonstration."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
import uv

from evalsql.catalog.relations import read_catalog
from evalsql.conformance import CASES
from evalsql.warehouse.connecting import shipped
from tests.conftest import ROOT

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True, capture_output=True, timeout=900
    )
    return folder


def test_wheel_and_sdist_hold_the_sql_and_the_sample(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        in_wheel = set(wheel.namelist())
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        in_sdist = {name.partition("/")[2] for name in sdist.getnames()}
    sql = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sql").rglob("*.sql")}
    sample = {path.relative_to(ROOT).as_posix() for path in (ROOT / "evalsql" / "sample").rglob("*.*")}
    assert sql | sample <= in_sdist
    cases = {f"evalsql/conformance/cases/{path.relative_to(CASES)}" for path in CASES.rglob("*") if path.is_file()}
    assert {f"evalsql/{path}" for path in sql} | sample | cases <= in_wheel
    assert f"evalsql/{shipped(read_catalog()).name}" in in_wheel


def test_an_index_shows_the_readme_without_links_to_files(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
        shown = wheel.read(name).decode().partition("\n\n")[2].strip()
    readme = (ROOT / "README.md").read_text()
    linked = re.findall(r"\[(.*?)\]\((?!http)(.*?)\)", readme)
    assert linked
    for words, _ in linked:
        assert words in shown or f"![{words}]" in readme
    assert not re.search(r"\]\((?!http)", shown)
    assert re.findall(r"(?m)^#.*", shown) == re.findall(r"(?m)^#.*", readme)


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_an_installation_in_an_empty_environment_runs_the_demonstration(built: Path, tmp_path: Path, kind: str) -> None:
    venv.create(tmp_path / "venv")
    programs = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    what = [next(built.glob("*.whl"))] if kind == "wheel" else ["-e", ROOT]
    # By this environment's pip: to put another one there, and to compile what is hardly imported, takes seconds.
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--no-compile"]
    subprocess.run([*pip, "-q", *what], check=True, capture_output=True, timeout=900)
    # PYTHONPATH would have the modules of another folder instead.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    line: list[str | Path] = [programs / "evalsql", "demo"]
    outcome = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert outcome.returncode == 0, outcome.stderr
    # A wheel brings the empty warehouse that others make and keep in the cache.
    assert any((tmp_path / "cache").rglob("*.duckdb")) == (kind == "editable")
    assert len(outcome.stdout.splitlines()) == 10
    assert "rerank-large" in outcome.stdout.splitlines()[2]


def test_uvx_runs_it_from_an_index(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    index = tmp_path / "index"
    fetched: list[str | Path] = [sys.executable, "-m", "pip", "download", "-q", "-d", index / "wheels", wheel]
    subprocess.run(fetched, check=True, capture_output=True, timeout=900)
    for path in (index / "wheels").iterdir():
        name = re.sub("[-_.]+", "-", path.name.split("-")[0]).lower()
        page = index / "simple" / name / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f'<a href="../../wheels/{path.name}">{path.name}</a>')
    line = [uv.find_uv_bin(), "tool", "run", "--default-index", (index / "simple").as_uri(), "--no-config", "evalsql"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"UV_CACHE_DIR": str(tmp_path / "cache"), "UV_PYTHON": sys.executable}
    outcome = subprocess.run(
        [*line, "demo"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900
    )
    assert outcome.returncode == 0, outcome.stderr
    assert len(outcome.stdout.splitlines()) == 10
