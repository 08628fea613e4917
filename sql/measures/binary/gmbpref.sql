-- measure: GMBpref
-- title: Binary preference for the geometric mean over topics
-- trec_eval: gm_bpref
-- parameters: rel, ties in {rule, worst, best}
-- definition: Binary preference, raised to 0.00001 where it is less; the geometric mean of that over topics.
-- reference: Buckley, trec_eval, measure gm_bpref
-- differs: trec_eval keeps the logarithm per topic and does not print it; the mean is the same.
-- range: 0.00001 1
-- mean: geometric
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- scores: no
-- example: mixed GMBpref = 0.000368
select
    qrels,
    run,
    topic,
    greatest(value, 0.00001) as value
from bpref(rel := $rel, ties := $ties)
