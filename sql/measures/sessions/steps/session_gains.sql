-- title: The gain of each document that a session finds, discounted by its rank and by the calls before
-- parameters: dcg, gains, call_base, rank_base, repeats
-- columns: evaluation_id
--   rank   its rank in the call
--   gain   gain / ((1 + log(rank)) (1 + log(call))), the logarithms to their bases
select
    session_ranks.evaluation_id,
    session_ranks.rank,
    grade_gains.gain
        / (1 + ln(session_ranks.rank) / ln($rank_base))
        / (1 + ln(session_ranks.call) / ln($call_base)) as gain
from session_ranks
join grade_gains(dcg := $dcg, gains := $gains, min_rel := 0, max_rel := null) as grade_gains
    on grade_gains.grade = session_ranks.grade
where
    grade_gains.gain <> 0
    and ($repeats or session_ranks.is_first)
