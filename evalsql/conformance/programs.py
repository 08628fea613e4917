"""Programs that are asked for their values, and the folder of cases for those who ask their own."""

import shlex
import shutil
import subprocess
from pathlib import Path

from evalsql.catalog.relations import read_catalog
from evalsql.conformance import CASES, check
from evalsql.conformance.check import ERROR, Given, Suite
from evalsql.errors import UsageError

_PATIENCE = 60  # seconds for one value


def values_of_command(text: str, suite: Suite) -> dict[tuple[str, str], Given]:
    """What a command prints for each case and measure; with {trec_eval}, for measures that trec_eval has alone."""
    words = shlex.split(text)
    if not words or not all(f"{{{name}}}" in text for name in ("qrels", "run")):
        raise UsageError(f'"{text}": a command names its files, as in "my-eval {{qrels}} {{run}} {{measure}}"')
    if "{measure}" not in text and "{trec_eval}" not in text:
        raise UsageError(
            f'"{text}": a command is told its measure, by {{measure}} or by trec_eval\'s name, {{trec_eval}}'
        )
    by_trec_eval = trec_names()
    values: dict[tuple[str, str], Given] = {}
    for case, measure in suite.asked():
        name, _, cutoff = measure.partition("@")
        trec_name = by_trec_eval.get((name, bool(cutoff)))
        if "{trec_eval}" in text and trec_name is None:
            continue
        folder = suite.folder / case
        filled = {"qrels": str(folder / "qrels.txt"), "run": str(folder / "run.txt"), "measure": measure}
        filled["trec_eval"] = f"{trec_name}.{cutoff}" if cutoff else str(trec_name)
        values[case, measure] = _printed([_replaced(word, filled) for word in words])
    return values


def trec_names() -> dict[tuple[str, bool], str]:
    """trec_eval's names of measures, with a cutoff or without."""
    return {
        (relation.header.measure, bool(alias.cutoffs)): alias.name
        for relation in read_catalog().measures
        for alias in relation.header.trec_eval
        if not alias.presets and [*alias.parameters] in ([], ["k"], ["gains"])
    }


def _replaced(word: str, filled: dict[str, str]) -> str:
    for name, text in filled.items():
        word = word.replace(f"{{{name}}}", text)
    return word


def _printed(words: list[str]) -> str | None:
    """The last word that a command prints, None where it prints nothing."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"{ERROR}no answer in {_PATIENCE} seconds"
    except OSError as error:
        raise UsageError(f"{words[0]}: cannot be run: {error.strerror}") from error
    if done.returncode:
        told = done.stderr.strip().splitlines() or [""]
        return f"{ERROR}ended with {done.returncode}: {told[-1]}"
    return done.stdout.split()[-1] if done.stdout.strip() else None


def write(folder: Path) -> int:
    """Write the cases, their schema and page and the program that judges; gives the number of cases."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: not an empty folder; name a new one")
    shutil.copytree(CASES, folder, dirs_exist_ok=True)
    shutil.copyfile(str(check.__file__), folder / "check.py")
    return len(list(folder.glob("*/case.json")))
