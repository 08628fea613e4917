-- title: What each of the first documents of a ranking gains for each subtopic that it is relevant to
-- ties: expected = expected_novel_gains
-- parameters: alpha, rel, judged_only, k, ties
-- columns: evaluation_id, subtopic
--   rank       rank of a document that is relevant to it
--   gain       (1 - alpha)^n, n documents above being relevant to it
select
    evaluation_id,
    subtopic,
    rank,
    pow(
        1 - $alpha,
        row_number() over (
            partition by evaluation_id, subtopic
            order by rank
        ) - 1
    ) as gain
from subtopic_ranks(rel := $rel, judged_only := $judged_only)
where rank <= (select max(cutoffs.last_rank) from cutoffs(k := $k) as cutoffs)
