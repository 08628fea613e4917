-- title: How many documents that are not relevant stand above each relevant one
-- ties: expected = expected_others_above
-- parameters: rel, nonrelevant, ties
-- columns: evaluation_id
--   others_above   documents above a relevant one that are not relevant
--   share          1; or how many of a tie's relevant documents are expected to have as many above
select
    evaluation_id,
    case when $nonrelevant = 'judged' then judged_rank else rank end - relevant_rank as others_above,
    share
from relevant_ranks(rel := $rel, ties := $ties)
