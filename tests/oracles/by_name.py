"""The plain loop of a measure, found by the measure's name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from inspect import isfunction
from types import ModuleType
from typing import Any

from tests.oracles import (
    brute_force,
    brute_force_curves,
    brute_force_diversity,
    brute_force_preferences,
    brute_force_user_models,
)

MODULES = (
    brute_force,
    brute_force_curves,
    brute_force_diversity,
    brute_force_preferences,
    brute_force_user_models,
)
WORDS = {"null": None, "true": True, "false": False}
Loop = Callable[[Any], dict[str, Any]]


def _functions(modules: Iterable[ModuleType]) -> dict[str, Callable[..., Any]]:
    """By name without underscores, those that the module defines itself."""
    return {
        name.replace("_", ""): function
        for module in modules
        for name, function in vars(module).items()
        if isfunction(function) and function.__module__ == module.__name__
    }


FUNCTIONS = _functions(MODULES)


@cache
def loop(name: str) -> Loop:
    """Gives the columns of a topic by their names. ``P(rel=2)@5`` is p with 5 for its first parameter and rel=2.

    Names are read without the package.
    """
    parts = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(.+))?", name)
    assert parts is not None, name
    call = ast.parse(f"_({parts[2] or ''})", mode="eval").body
    assert isinstance(call, ast.Call)
    options = {
        str(each.arg): WORDS[each.value.id] if isinstance(each.value, ast.Name) else ast.literal_eval(each.value)
        for each in call.keywords
    }
    cutoff = [ast.literal_eval(parts[3])] if parts[3] else []
    function = partial(FUNCTIONS[parts[1].replace("_", "").lower()], **options)

    def columns(topic: Any) -> dict[str, Any]:
        found = function(topic, *cutoff)
        return found if isinstance(found, dict) else {"value": found}

    return columns


@cache
def value_of(name: str) -> Callable[[Any], float]:
    """Gives the value alone."""
    found = loop(name)
    return lambda topic: float(found(topic)["value"])
