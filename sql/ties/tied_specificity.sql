-- title: Specificity in the worst and the best order of tied documents, and expected over all their orders
-- parameters: k = 10, rel, nonrelevant, collection, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
select
    qrels,
    run,
    topic,
    1 - value as value
from tied_fpr(k := $k, rel := $rel, nonrelevant := $nonrelevant, collection := $collection, ties := $ties)
