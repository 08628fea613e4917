-- title: Whether judges grade higher or lower than a reference, by the reference's grade
-- parameters: names, rel, reference
-- columns:
--   qrels           the reference, or the judgment set whose name comes first
--   other           judgment set compared with it
--   rating          grade by the reference, or 1 for relevant and 0 for not
--   num_documents   documents with this grade that both judge
--   mean_rating     their mean grade by the other
--   equal           share of them that the other gives the same grade
--   higher          share that it gives a higher one
--   lower           share that it gives a lower one
-- definition: Sums over the rows of confusion_table.
select
    qrels,
    other,
    rating,
    sum(num_documents) as num_documents,
    sum(num_documents * other_rating) / sum(num_documents) as mean_rating,
    sum(case when other_rating = rating then num_documents else 0 end) / sum(num_documents) as equal,
    sum(case when other_rating > rating then num_documents else 0 end) / sum(num_documents) as higher,
    sum(case when other_rating < rating then num_documents else 0 end) / sum(num_documents) as lower
from confusion_table(names := $names, rel := $rel, reference := $reference)
group by qrels, other, rating
