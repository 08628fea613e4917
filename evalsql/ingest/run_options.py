"""How runs are loaded: tie rules, and what of a run is kept."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import NamedTuple

from evalsql.catalog.header import GREATEST_INTEGER
from evalsql.errors import UsageError

TIE_RULES = ("trec_eval", "trec_eval_10", "rank", "input")
BY_SCORE = TIE_RULES[:2]


def tie_rule_for(rule: str | None, *, lower_is_better: bool) -> str:
    """The given rule, else the default: trec_eval, or trec_eval_10 for E-values, as those below 1e-45 are 0 in 32 bits.

    Raises:
        UsageError: it is not known.
    """
    if rule is None:
        return "trec_eval_10" if lower_is_better else "trec_eval"
    if rule not in TIE_RULES:
        raise UsageError(f"tie rule {rule} is unknown; there are: {', '.join(TIE_RULES)}")
    return rule


def checked_depth(depth: object) -> int | None:
    """How many documents of each topic are kept; raises UsageError for what is no such number."""
    if depth is None:
        return None
    try:
        number = operator.index(depth)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if isinstance(depth, bool) or not 1 <= number <= GREATEST_INTEGER:
        raise UsageError(f"depth is {depth!r}, it must be a whole number from 1 to {GREATEST_INTEGER}")
    return number


class RunOptions(NamedTuple):
    """How runs are loaded; see ``Warehouse.load_runs``.

    Without ``keeps_unjudged`` nothing goes into the table ``retrieved``. Most measures need only the ranks of documents
    that judgments loaded before are about.
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
    without_self: bool | None = None  # whether a topic is dropped from its own ranking; None: if scores are E-values
    one_alignment: bool = False  # whether of several alignments of a topic and a document the best one is kept

    def for_rows(self, *, is_ranking: bool, holds_evalues: bool) -> RunOptions:
        """The same with what hangs on the rows: whether they are rankings without scores, or scores are E-values.

        Rankings are in their order. Of E-values lower ones are better, and small ones differ in 64 bits only.
        """
        rule = "rank" if is_ranking and self.tie_rule != "input" else self.tie_rule
        if holds_evalues and not self.rule_is_given:
            rule = tie_rule_for(None, lower_is_better=True)
        return self._replace(
            tie_rule=rule,
            lower_is_better=self.lower_is_better or holds_evalues,
            without_self=holds_evalues if self.without_self is None else self.without_self,
            one_alignment=holds_evalues,
        )

    @property
    def leaves_out(self) -> bool:
        """Whether rows are left out before they are ranked."""
        return bool(self.without_self or self.one_alignment)
