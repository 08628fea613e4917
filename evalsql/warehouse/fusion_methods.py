"""The ways to fuse runs: their names here and elsewhere, and what each takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.header import Value
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import FUSION, Catalog, Relation
from evalsql.errors import UsageError
from evalsql.phrases import counted

# What other programs call a method that has weights, and other words for some.
_ALIASES = {"wsum": "sum", "wmnz": "mnz", "w_bordafuse": "borda", "w_condorcet": "condorcet"}
_NORM_ALIASES = {"zmuv": "z-score", "min_max": "min-max", "zscore": "z-score"}
_OWN = ("runs", "weights", "norm", "qrels", "folds")


class Method(NamedTuple):
    """A way to fuse runs, with its arguments."""

    name: str
    relation: Relation
    arguments: Mapping[str, Value]

    @property
    def takes_weights(self) -> bool:
        return any(parameter.name == "weights" for parameter in self.relation.parameters)

    @property
    def learns(self) -> bool:
        """Whether it learns from judgments."""
        return any(parameter.name == "qrels" for parameter in self.relation.parameters)

    def having(self, **arguments: Value) -> Method:
        """The same with other arguments."""
        return self._replace(arguments={**self.arguments, **arguments})

    @property
    def query(self) -> str:
        """A SELECT of topic, document and score."""
        return f"select topic, document, score from {Measure(self.relation, self.arguments).call}"


def methods(catalog: Catalog) -> dict[str, Relation]:
    """Every method by its name, which is that of its relation without comb_ and _fuse."""
    found = {
        relation.name.removeprefix("comb_").removesuffix("_fuse"): relation for relation in catalog.of_kind(FUSION)
    }
    return dict(sorted(found.items()))


def method_named(catalog: Catalog, name: str, parameters: Mapping[str, Value], norm: str | None) -> Method:
    """A method by its name here or elsewhere, with its parameters; raises UsageError for what it does not know."""
    known = methods(catalog)
    plain = name.lower().replace("-", "_")
    word = _ALIASES.get(plain, plain.removeprefix("comb").removesuffix("fuse").strip("_"))
    if word not in known:
        raise UsageError(
            f'there is no method "{name}" of fusion, which comes before the runs; there are: {", ".join(known)}'
        )
    relation = known[word]
    given: dict[str, Value] = {each.name: each.default for each in relation.parameters}
    own = {each.name: each for each in relation.parameters if each.name not in _OWN}
    for parameter, value in parameters.items():
        if value is None:
            continue
        if parameter not in own:
            takes = f"it takes {', '.join(own)}" if own else "it takes none"
            raise UsageError(f"{word} takes no {parameter}; {takes}")
        given[parameter] = own[parameter].parse(str(value))
    norms = next((each for each in relation.parameters if each.name == "norm"), None)
    if norm is not None and norms is None:
        raise UsageError(f"{word} goes by ranks, which need no norm; leave it out")
    if norm is not None and norms is not None:
        given["norm"] = norms.parse(_NORM_ALIASES.get(norm, norm))
    return Method(word, relation, given)


def weighted(catalog: Catalog) -> str:
    """The methods that have weights, in words."""
    return ", ".join(name for name, relation in methods(catalog).items() if Method(name, relation, {}).takes_weights)


def weights_text(weights: Sequence[float], names: Sequence[str]) -> str:
    """The weights of these runs as a method takes them; raises UsageError where they do not fit."""
    given = [float(weight) for weight in weights]
    if len(given) != len(names):
        raise UsageError(f"{counted(len(given), 'weight')} for {len(names)} runs: {', '.join(names)}")
    if not all(math.isfinite(weight) and weight >= 0 for weight in given) or not any(given):
        raise UsageError("weights are numbers from 0 on, one above 0 at least")
    return ",".join(map(number_text, given))


def number_text(value: Value) -> str:
    """A number as people write it: 1 for 1.0."""
    return str(value).removesuffix(".0")
