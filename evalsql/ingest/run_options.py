"""How runs are loaded: tie rules, and what of a run is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from evalsql.errors import UsageError

TIE_RULES = ("trec_eval", "trec_eval_10", "rank", "input")
BY_SCORE = TIE_RULES[:2]


def tie_rule_for(rule: str | None, *, lower_is_better: bool) -> str:
    """The rule asked for, else the default: E-values below 1e-45 are all 0 as 32-bit floats.

    Raises:
        UsageError: it is not known.
    """
    if rule is None:
        return "trec_eval_10" if lower_is_better else "trec_eval"
    if rule not in TIE_RULES:
        raise UsageError(f"tie rule {rule} is unknown; there are: {', '.join(TIE_RULES)}")
    return rule


class RunOptions(NamedTuple):
    """How runs are loaded; see ``Warehouse.load_runs``.

    Without ``keeps_unjudged`` the table ``retrieved`` stays as it is: most measures read only the ranks of judged
    documents, of judgments that are there already.
    """

    tie_rule: str = "trec_eval"
    lower_is_better: bool = False
    keep_best: bool = False
    depth: int | None = None
    judged_by: str | None = None
    meta: Mapping[str, str] = {}
    keeps_unjudged: bool = True
    tells_remarks: bool = True
    rule_is_given: bool = False  # whether the tie rule is the user's choice
    without_self: bool | None = None  # whether a topic is left out among its documents; None is of E-values

    def for_evalues(self) -> RunOptions:
        """The same for scores that are E-values: lower ones are better, and small ones differ in 64 bits only."""
        rule = self.tie_rule if self.rule_is_given else tie_rule_for(None, lower_is_better=True)
        return self._replace(lower_is_better=True, tie_rule=rule)
