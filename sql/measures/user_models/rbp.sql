-- measure: RBP
-- title: Rank-biased precision
-- aliases: rank_biased_precision
-- parameters:
--   p double in (0, 1) = 0.8        how likely the reader goes on to the next document
--   rel integer in [0, inf) = 1     least grade that counts as relevant; not used when gains are given
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
-- definition: (1 - p) times the sum over the first k of gain * p^(rank - 1). The gain is 1 for a relevant
--    document, or what the gains say.
-- reference: Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness,
--    doi:10.1145/1416950.1416952
-- differs: trec_eval 10 rescales grades by each topic's own greatest grade; ranx takes raw grades and
--    exceeds 1.
-- range: 0 1
-- mean: arithmetic
-- example: graded RBP(p=0.5) = 0.375
-- example: graded RBP(p=0.5,gains={1:0.5,2:1,3:1}) = 0.3125
with gained as (
    select
        judged_ranks.evaluation_id,
        sum(
            case
                when $gains is not null then grade_gains.gain
                when judged_ranks.grade >= $rel then 1
                else 0
            end * pow($p, judged_ranks.rank - 1)
        ) as total
    from judged_ranks
    join grade_gains(gains := $gains) as grade_gains
        on grade_gains.grade = judged_ranks.grade
    where judged_ranks.rank <= coalesce($k, judged_ranks.rank)
    group by judged_ranks.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    (1 - $p) * coalesce(gained.total, 0) as value
from evaluated
left join gained on gained.evaluation_id = evaluated.evaluation_id
