-- title: Relevant judged spans that are found, each once, where the first retrieved span matches it
-- parameters: match, share, rel
-- columns: qrels_id, run_id, topic_id
--   span   number of the judged span
--   rank   rank of the first retrieved span that matches it
select
    qrels_id,
    run_id,
    topic_id,
    span,
    min(rank) as rank
from span_rules(rel := $rel)
where
    rule = $match
    and held_share >= $share
group by qrels_id, run_id, topic_id, span
