"""Values of options as people type them: other spellings of words, and plain words on what does not fit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

# Behind each word its other spellings, without case, blanks, hyphens, underscores and apostrophes.
_SPELLINGS = {
    "markdown": "md",
    "latex": "tex",
    "jsonl": "ndjson jsonlines",
    "holm": "holmbonferroni",
    "bonferroni": "bonf",
    "benjamini_hochberg": "bh fdr fdrbh",
    "benjamini_yekutieli": "by fdrby",
    "t": "ttest student students studentt studentst pairedt pairedttest",
    "wilcoxon": "wilcoxonsignedrank signedrank",
    "sign": "signtest",
    "randomisation": "randomization permutation randomisationtest randomizationtest permutationtest",
    "tukey": "hsd tukeyhsd",
}
_MEANT = {spelling: word for word, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_IGNORED = str.maketrans("", "", " -_'")


def meant_word(text: str, words: tuple[str, ...]) -> str | None:
    """Which of the words a text stands for: in any case, with blanks, hyphens or underscores, or by another name."""
    plain = text.lower().translate(_IGNORED)
    meant = {word.lower().translate(_IGNORED): word for word in words} | {
        spelling: word for spelling, word in _MEANT.items() if word in words
    }
    return meant.get(plain)


def converts(hint: Any) -> bool:
    """Whether ``convert`` knows what a hint asks for."""
    return hint in (int, float, str, Path) or get_origin(hint) is Literal


def convert(value: object, hint: Any, lowest: float | None, highest: float | None) -> Any:
    """The value as the hint has it: a text, path, number, or one of several words.

    Raises:
        typer.BadParameter: it is none.
    """
    if get_origin(hint) is Literal:
        words = get_args(hint)
        word = value if value in words else meant_word(str(value), words)
        if word is None:
            raise typer.BadParameter(f'"{value}" is none of {", ".join(words)}')
        return word
    if hint in (int, float):
        return _number(str(value), hint, lowest, highest)
    return hint(value)


def _number(text: str, kind: type[int] | type[float], lowest: float | None, highest: float | None) -> float:
    try:
        number = kind(text)
    except ValueError:
        raise typer.BadParameter(f'"{text}" is not a {"whole " if kind is int else ""}number') from None
    if math.isnan(number):
        raise typer.BadParameter(f'"{text}" is not a number')
    if (lowest is not None and number < lowest) or (highest is not None and number > highest):
        limits = f"at least {lowest}" if highest is None else f"from {lowest} to {highest}"
        raise typer.BadParameter(f"{text} is out of range, it must be {limits}")
    return number
