-- measure: Specificity
-- title: Specificity at a cutoff, the true negative rate
-- aliases: TNR, true_negative_rate
-- parameters: k = 10, rel, nonrelevant, collection, ties
-- definition: 1 - FPR: of the documents not relevant the share that is not among the first k; 1 if there are none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: The textbook divides by all documents of the collection that are not relevant (here with collection).
-- range: 0 1
-- mean: arithmetic
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- scores: no
-- example: roc Specificity@3 = 0.65
select
    rates.qrels,
    rates.run,
    rates.topic,
    rates.k,
    1 - rates.value as value
from fpr(k := $k, rel := $rel, nonrelevant := $nonrelevant, collection := $collection, ties := $ties) as rates
