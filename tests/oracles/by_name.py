"""The plain loop of a measure, found by the measure's name."""

import ast
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import isfunction
from typing import Any

from tests.oracles import brute_force

MODULES = [
    import_module(f"{brute_force.__name__}{part}")
    for part in ("", "_curves", "_diversity", "_preferences", "_spans", "_user_models")
]
OF_JUDGED = [f"{brute_force.__name__}{part}" for part in ("", "_user_models")]  # which leave judged_only to others
WORDS = {"null": None, "true": True, "false": False}
Loop = Callable[[Any], dict[str, Any]]


# By name without underscores, those that a module defines itself.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name.replace("_", ""): function
    for module in MODULES
    for name, function in vars(module).items()
    if isfunction(function) and function.__module__ == module.__name__
}


def parts(name: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Measure, cutoff and arguments in a name, read without the package."""
    found = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(.+))?", name)
    assert found is not None, name
    call = ast.parse(f"_({found[2] or ''})", mode="eval").body
    assert isinstance(call, ast.Call)
    options = {
        str(each.arg): WORDS[each.value.id] if isinstance(each.value, ast.Name) else ast.literal_eval(each.value)
        for each in call.keywords
    }
    return found[1], [ast.literal_eval(found[3])] if found[3] else [], options


@cache
def loop(name: str) -> Loop:
    """Gives the columns of a topic by their names. ``P(rel=2)@5`` is p with 5 for its first parameter and rel=2."""
    measure, cutoff, options = parts(name)
    function = FUNCTIONS[measure.replace("_", "").lower()]
    of_judged = function.__module__ in OF_JUDGED and options.pop("judged_only", False)

    def columns(topic: Any) -> dict[str, Any]:
        if of_judged:
            topic = topic.only_judged()
        found = function(topic, *cutoff, **options)
        return found if isinstance(found, dict) else {"value": found}

    return columns


@cache
def value_of(name: str) -> Callable[[Any], float]:
    """Gives the value alone."""
    found = loop(name)
    return lambda topic: float(found(topic)["value"])
