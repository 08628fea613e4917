-- title: Relevant judged spans that are found, each once, where the first retrieved span matches it
-- parameters: match, share, rel
-- columns:
--   evaluation_id   key of the evaluation
--   span            number of the judged span
--   rank            rank of the first retrieved span that matches it
select
    evaluation_id,
    span,
    min(rank) as rank
from span_rules(rel := $rel)
where
    rule = $match
    and held_share >= $share
group by evaluation_id, span
