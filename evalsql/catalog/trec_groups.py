"""trec_eval's measures in the order in which it prints them, and its names for groups of them.

From the tables of trec_eval 9.0.8 and 10.0; what each measure is stands in the header of its relation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

# Not measures by the contract: text, or facts about the run as a whole.
RUN_ID, NUM_TOPICS, RELEVANCE_STRING = "runid", "num_q", "relstring"

ORDER: Sequence[str] = (
    *(RUN_ID, NUM_TOPICS, "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", RELEVANCE_STRING, "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg"),
    *("binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair"),
    *("prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"),
    *("prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
    *("map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "rbp", "rbp_resid", "unj"),
)
_OFFICIAL = ORDER[: ORDER.index(RELEVANCE_STRING)]
_PREFERENCES = tuple(name for name in ORDER if name.startswith("prefs_"))
_UNGROUPED = {*_PREFERENCES, "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "dcg", "ideal_dcg"}

GROUPS: Mapping[str, Sequence[str]] = {
    "official": _OFFICIAL,
    "set": (
        *(RUN_ID, NUM_TOPICS, "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": tuple(name for name in ORDER if name not in _UNGROUPED),
    "all_prefs": (RUN_ID, NUM_TOPICS, *_PREFERENCES),
    "prefs": (RUN_ID, NUM_TOPICS, *_PREFERENCES[:6]),
    "qrels_jg": (RUN_ID, NUM_TOPICS, "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
