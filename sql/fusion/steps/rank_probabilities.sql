-- title: How often the documents at the rank of each document are relevant in the judged topics of the other folds
-- parameters: runs, qrels, folds, rel
-- columns:
--   place         place of the run in the list, from 1
--   topic_id      key of the topic
--   document_id   key of the document
--   rank          its rank
--   probability   share of the topics with a document at that rank for which it is relevant; 0 for ranks never met
with learnt as (
    select
        fold,
        place,
        rank,
        avg(hit) as probability
    from training_hits(runs := $runs, qrels := $qrels, folds := $folds, rel := $rel)
    group by fold, place, rank
)
select
    ranks.place,
    ranks.topic_id,
    ranks.document_id,
    ranks.rank,
    coalesce(learnt.probability, 0) as probability
from fused_ranks(runs := $runs) as ranks
left join topic_folds(qrels := $qrels, folds := $folds) as parts using (topic_id)
left join learnt
    on learnt.fold = coalesce(parts.fold, 0)
    and learnt.place = ranks.place
    and learnt.rank = ranks.rank
