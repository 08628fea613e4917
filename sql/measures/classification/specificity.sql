-- measure: Specificity
-- title: Specificity at a cutoff, the true negative rate
-- aliases: TNR, true_negative_rate
-- parameters:
--   k integer? in [1, inf) = 10     rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   nonrelevant varchar in {retrieved, judged} = retrieved   which documents are the ones not relevant: all others
--                                     that the ranking holds, or those judged so, retrieved or not
--   collection integer in [0, inf) = null   documents in the collection, if those that are not retrieved are to
--                                     count as not relevant too; of no effect on judged
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- definition: 1 - FPR: of the documents not relevant the share that is not among the first k; 1 if there are none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: The textbook divides by all documents of the collection that are not relevant (here with collection).
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: roc Specificity@3 = 0.65
select
    qrels,
    run,
    topic,
    1 - value as value
from fpr(k := $k, rel := $rel, nonrelevant := $nonrelevant, collection := $collection, ties := $ties)
