-- title: How often a document has one grade by a judgment set and another by another
-- parameters: names, rel, reference
-- columns:
--   qrels          the reference, or the judgment set whose name comes first
--   other          the other one
--   rating         grade by the first, or 1 for relevant and 0 for not
--   other_rating   grade by the other
--   num_documents  documents with these two
-- definition: Counts over the documents that both judge.
select
    qrels,
    other,
    rating,
    other_rating,
    count(*) as num_documents
from judged_twice(names := $names, rel := $rel, reference := $reference)
group by qrels, other, rating, other_rating
