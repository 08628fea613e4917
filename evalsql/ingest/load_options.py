"""How runs and judgments are loaded: options made once, for files, rows in memory, the command line and Spark alike."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Literal, get_args

from evalsql.catalog.header import GREATEST_INTEGER
from evalsql.errors import UsageError

Meta = Mapping[str, str] | None  # key and value to keep with what is loaded
Form = Literal["grades", "groups", "preferences", "spans", "strata", "probabilities", "pairs", "families", "nuggets"]
TieRule = Literal["trec_eval", "trec_eval_10", "rank", "input"]
Collapse = Literal["max", "first", "sum", "none"]
Unit = Literal["characters", "bytes", "tokens", "lines", "pages"]
FORMS, TIE_RULES, COLLAPSES, UNITS = map(get_args, (Form, TieRule, Collapse, Unit))
IMPLYING = ("pairs", "families")  # forms of what judgments are made of
SAMPLED = ("strata", "probabilities")  # forms of judgments that are a sample
NUGGETS = "nuggets"  # form of judgments that answers are assigned to
SCORED, RANKED, EVALUES = range(3)  # what rows of runs have: scores, ranks alone, or E-values
NO_CALL = "none"  # what says that no column of a run is a call


def with_unit(meta: Meta, unit: str | None, *, has_spans: bool, **facts: str | None) -> Meta:
    """``meta`` with what is kept of spans: their unit and further facts; raises UsageError where these do not fit."""
    if unit is not None and unit not in UNITS:
        raise UsageError(f"unit {unit} is unknown; there are: {', '.join(UNITS)}")
    if not has_spans:
        if unit is not None:
            raise UsageError("a unit is that of spans: of judgments with --form spans, of runs with --collapse")
        return meta
    kept = {**(meta or {}), "unit": unit or UNITS[0], **{key: value for key, value in facts.items() if value}}
    for key, value in (meta or {}).items():
        if kept[key] != value:
            raise UsageError(f"meta {key}={value} contradicts --{key} {kept[key]}, which is kept there")
    return kept


@dataclass(frozen=True)
class RunOptions:
    """How runs are loaded; ``Warehouse.load_runs`` explains the options that it takes by these names.

    Attributes:
        warns: ``tells_remarks`` of ``Warehouse.load_runs``.
        keeps_unjudged: whether documents without judgments go into the table ``retrieved``, which few measures need.
        one_alignment: whether of several alignments of a topic and a document only the best one is kept.
    """

    tie_rule: str | None = None
    lower_is_better: bool = False
    keep_best: bool = False
    depth: int | None = None
    judged_by: str | None = None
    replace: bool = False
    meta: Meta = None
    columns: Mapping[str, str] | None = None
    with_self: bool | None = None
    warns: bool = True
    keeps_unjudged: bool = True
    one_alignment: bool = False
    call: str | None = None
    collapse: str | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.tie_rule is not None and self.tie_rule not in TIE_RULES:
            raise UsageError(f"tie rule {self.tie_rule} is unknown; there are: {', '.join(TIE_RULES)}")
        if self.depth is not None:
            is_whole = isinstance(self.depth, Integral) and not isinstance(self.depth, bool)
            if not is_whole or not 1 <= operator.index(self.depth) <= GREATEST_INTEGER:
                raise UsageError(f"depth is {self.depth!r}, but must be a whole number from 1 to {GREATEST_INTEGER}")
            object.__setattr__(self, "depth", operator.index(self.depth))  # the engine takes no numbers of numpy
        if self.collapse is not None and self.collapse not in COLLAPSES:
            raise UsageError(f"collapse {self.collapse} is unknown; there are: {', '.join(COLLAPSES)}")
        if self.collapse == "sum" and self.lower_is_better:
            raise UsageError("collapse sum is for scores of which greater ones are better; max takes the best of each")
        if self.has_calls and self.holds_spans:
            raise UsageError(
                "a run has calls or spans; --call none takes all rows for one ranking, --collapse none no spans"
            )
        kept = with_unit(self.meta, self.unit, has_spans=self.holds_spans, collapse=self.collapse)
        object.__setattr__(self, "meta", kept)

    def for_rows(self, kind: int = SCORED) -> RunOptions:
        """The same with the defaults for rows of a kind.

        Rankings without scores keep their order. Of E-values lower ones are better; they need 64 bits, as in 32 those
        below 1e-45 are 0.
        """
        holds_evalues = kind == EVALUES
        lower_is_better = self.lower_is_better or holds_evalues
        rule = self.tie_rule or ("trec_eval_10" if lower_is_better else "trec_eval")
        return replace(
            self,
            tie_rule="rank" if kind == RANKED and rule != "input" else rule,
            lower_is_better=lower_is_better,
            with_self=not holds_evalues if self.with_self is None else self.with_self,
            one_alignment=holds_evalues and not self.holds_spans,
        )

    @property
    def given(self) -> Mapping[str, str]:
        """Names of columns by meaning, as the user gave them."""
        return {**(self.columns or {}), **({"call": self.call} if self.call not in (None, NO_CALL) else {})}

    @property
    def has_calls(self) -> bool:
        return "call" in self.given

    @property
    def holds_spans(self) -> bool:
        return self.collapse not in (None, "none")

    @property
    def goes_by_rank(self) -> bool:
        return self.tie_rule == "rank"

    @property
    def ranks_by_score(self) -> bool:
        return self.tie_rule not in ("rank", "input")

    @property
    def keeps_all(self) -> bool:
        return self.keeps_unjudged and not (self.keep_best or self.depth or self.judged_by or self.has_calls)


@dataclass(frozen=True)
class JudgmentOptions:
    """How judgments are loaded; ``Warehouse.load_qrels`` explains them."""

    form: str = "grades"
    keep_best: bool = False
    meta: Meta = None
    columns: Mapping[str, str] | None = None
    queries: str | Path | Iterable[str] | None = None
    with_self: bool = False
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form {self.form} is unknown; there are: {', '.join(FORMS)}")
        if self.keep_best and self.form in ("preferences", "spans", NUGGETS, *SAMPLED):
            what = "judgments of a sample" if self.are_sampled else self.form
            raise UsageError(f"of repeated {what} none is the best one; mend the file")
        if self.queries is not None and self.form != "families":
            raise UsageError("queries are named for judgments made of families, --form families")
        object.__setattr__(self, "meta", with_unit(self.meta, self.unit, has_spans=self.are_spans))

    @property
    def are_spans(self) -> bool:
        return self.form == "spans"

    @property
    def are_preferences(self) -> bool:
        return self.form == "preferences"

    @property
    def are_sampled(self) -> bool:
        return self.form in SAMPLED
