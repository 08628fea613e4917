-- title: How many documents judged not relevant stand above each relevant one, or how likely how many do
-- parameters: rel, ties
-- columns:
--   evaluation_id   key of the evaluation
--   nonrel_above    documents judged not relevant that stand above a relevant one
--   share           relevant documents for which so many do; over all orders of tied documents the number expected
select
    evaluation_id,
    nonrel_above,
    cast(1 as double) as share
from relevant_ranks(rel := $rel, ties := $ties)
where $ties <> 'expected'
union all
-- Among the others tied with it a document has every place with the same chance.
select
    tie_groups.evaluation_id,
    tie_groups.nonrel_above + ranks_to_longest.rank - 1 as nonrel_above,
    cast(tie_groups.num_rel as double) / (tie_groups.num_nonrel + 1) as share
from tie_groups(rel := $rel) as tie_groups
join ranks_to_longest on ranks_to_longest.rank between 1 and tie_groups.num_nonrel + 1
where
    $ties = 'expected'
    and tie_groups.num_rel > 0
