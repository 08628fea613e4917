-- title: Judged documents with the ranks over which the documents tied with them extend
-- parameters: judged_only
-- columns: evaluation_id, document_id
--   rank            its rank
--   first_rank      rank of the first document tied with it; its own rank where there is none
--   last_rank       rank of the last document tied with it
--   relevant_rank   documents with a grade of 1 or more down to it; 0 where its own grade is below
--   grade           its grade; a negative one is no judgment
select
    evaluation_id,
    document_id,
    rank,
    first_rank,
    last_rank,
    relevant_rank,
    grade
from asked_ranks()
where not $judged_only
union all
select
    evaluation_id,
    document_id,
    judged_rank as rank,
    min(judged_rank) over tied as first_rank,
    max(judged_rank) over tied as last_rank,
    relevant_rank,
    grade
from asked_ranks()
where
    grade >= 0
    and $judged_only
window tied as (partition by evaluation_id, first_rank)
