-- title: The share of each overlap that a rule goes by, which must be at least the least share
-- parameters: rel
-- columns: qrels_id, run_id, topic_id
--   span         number of the judged span
--   rank         rank of the retrieved span
--   rule         rule
--   held_share   share under that rule: above 0 under any, and 1 or 0 under exact
with shares as (
    select
        qrels_id,
        run_id,
        topic_id,
        span,
        rank,
        overlap / judged_length as of_judged,
        overlap / retrieved_length as of_retrieved,
        overlap / (judged_length + retrieved_length - overlap) as of_both
    from span_overlaps(rel := $rel)
)
select qrels_id, run_id, topic_id, span, rank, 'any' as rule, 1.0 as held_share
from shares
union all
select qrels_id, run_id, topic_id, span, rank, 'judged' as rule, of_judged as held_share
from shares
union all
select qrels_id, run_id, topic_id, span, rank, 'retrieved' as rule, of_retrieved as held_share
from shares
union all
select qrels_id, run_id, topic_id, span, rank, 'iou' as rule, of_both as held_share
from shares
union all
select qrels_id, run_id, topic_id, span, rank, 'exact' as rule, of_both as held_share
from shares
where of_both = 1
