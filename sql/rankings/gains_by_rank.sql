-- title: The gain of each document retrieved that has one, at its rank
-- shared: yes
-- ties: worst, best = extreme_gains
-- parameters: dcg, gains, judged_only, min_rel, max_rel, ties
--   min_rel integer in [0, inf) = 0          grade up to which dcg gives 0, and less by it to those above
--   max_rel integer in [0, inf) = null       grade that dcg takes greater ones for; null is none
-- columns: evaluation_id
--   rank    its rank
--   gain    its gain times the share, below 0 only where gains say so
--   share   1; or the number of documents of this gain expected at this rank of a tie
select
    ordered_ranks.evaluation_id as evaluation_id,
    ordered_ranks.rank as rank,
    grade_gains.gain * ordered_ranks.share as gain,
    ordered_ranks.share as share
from ordered_ranks(judged_only := $judged_only, ties := $ties) as ordered_ranks
join grade_gains(dcg := $dcg, gains := $gains, min_rel := $min_rel, max_rel := $max_rel) as grade_gains using (grade)
where grade_gains.gain <> 0
