-- title: Sign test of each run with a baseline
-- parameters: baseline, tolerance
-- columns: qrels, measure, baseline, run, num_topics
--   wins     topics where the value of the run is greater
--   ties     topics where they differ by the tolerance at most; they are left out
--   losses   topics where the value of the baseline is greater
--   p        two-sided p value, exact; 1 where there are only ties
--   note     identical, one topic, only ties (beyond those that differ by nothing); else null
-- definition: Binomial distribution of wins among wins and losses with probability 1/2.
-- reference: Conover 1999, Practical nonparametric statistics
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    found.num_topics,
    found.wins,
    found.ties,
    found.losses,
    sign_p(found.wins, found.losses) as p,
    case
        when found.note in ('identical', 'one topic') then found.note
        when found.wins + found.losses = 0 then 'only ties'
    end as note
from summed_differences(baseline := $baseline, tolerance := $tolerance) as found
