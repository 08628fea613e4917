-- measure: Compat
-- title: Compatibility: rank-biased overlap of the ranking with the ideal one nearest to it
-- aliases: compatibility
-- parameters: p = 0.95, normalize, depth, ties in {rule, worst, best}
--   normalize boolean = true                divide by the overlap of the ideal ranking with itself
--   depth integer? in [1, inf) = null       where the sum ends: 1000 as in compatibility.py, or null
-- columns:
--   num_ideal   documents of the ideal ranking
-- definition: Sum over the places d of p^(d - 1) * (documents among the first d of both rankings) / d, divided by the
--    same of the ideal ranking with itself, or by the sum of p^(d - 1). The sums go down to a depth, below the last
--    documents too, or to the end of the longer ranking. The ideal ranking has the documents of positive grade by
--    grade, equal ones as the run has them. 0 if there are none.
-- reference: Clarke, Vtyurina and Smucker 2021, Assessing top-k preferences, doi:10.1145/3451161
-- differs: Equal to ir_measures, and with depth=1000 to compatibility.py, but for documents of one grade when some
--    have scores below 0: these stand behind the ones not retrieved there, and before them here.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: user-models Compat(p=0.5) = 0.268
-- example: user-models Compat(p=0.5,normalize=false) = 0.2602
-- example: user-models Compat(p=0.5,depth=1000) = 0.2738
-- example: user-models Compat(p=0.5,depth=2) = 0.1667
with recursive lengths as (
    select max(num_ret) as length
    from run_topics
    union all
    select count(*) as length
    from judged_documents
    where judged_documents.grade > 0
    group by qrels_id, topic_id
    union all
    select $depth as length
),
longest as (
    select max(length) as length
    from lengths
),
numbers as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7. Below 1e-20 nothing is left of p^(d - 1).
    select 1 as number
    union all
    select 2 * numbers.number + halves.half as number
    from numbers
    join (select 0 as half union all select 1 as half) as halves
        on (2 * numbers.number + halves.half) * ln($p) > -46.1
    join longest on longest.length >= 2 * numbers.number + halves.half
),
overlap_weights as (
    -- What a document adds to the overlap of two rankings that both hold it from a depth on.
    select
        number as depth,
        sum(pow($p, number - 1) / number) over (
            order by number desc
            rows between unbounded preceding and current row
        ) as weight
    from numbers
),
grade_counts as (
    select
        qrels_id,
        topic_id,
        grade,
        count(*) as num_docs
    from judged_documents
    where grade > 0
    group by qrels_id, topic_id, grade
),
ideal_grades as (
    select
        qrels_id,
        topic_id,
        grade,
        sum(num_docs) over (
            partition by qrels_id, topic_id
            order by grade desc
            rows between unbounded preceding and current row
        ) - num_docs as num_above
    from grade_counts
),
ideal_lengths as (
    select
        qrels_id,
        topic_id,
        sum(num_docs) as num_ideal
    from grade_counts
    group by qrels_id, topic_id
),
shared as (
    -- The ideal ranking has the documents of a grade in the order in which the run has them.
    select
        evaluations.evaluation_id as evaluation_id,
        ordered_ranks.rank as rank,
        ideal_grades.num_above + row_number() over (
            partition by evaluations.evaluation_id, ordered_ranks.grade
            order by ordered_ranks.rank
        ) as ideal_rank
    from asked_evaluations() as evaluations
    join ordered_ranks(ties := $ties) as ordered_ranks using (evaluation_id)
    join ideal_grades
        on ideal_grades.qrels_id = evaluations.qrels_id
        and ideal_grades.topic_id = evaluations.topic_id
        and ideal_grades.grade = ordered_ranks.grade
),
found as (
    -- A shared document adds p^(d - 1) / d at each depth d at which both rankings have it.
    select
        shared.evaluation_id,
        count(*) as num_shared,
        sum(coalesce(overlap_weights.weight, 0)) as total
    from shared
    left join overlap_weights
        on overlap_weights.depth = greatest(shared.rank, shared.ideal_rank)
    where coalesce(greatest(shared.rank, shared.ideal_rank) <= $depth, true)
    group by shared.evaluation_id
),
depths as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        coalesce(ideal_lengths.num_ideal, 0) as num_ideal,
        coalesce($depth, greatest(evaluated_topics.num_ret, coalesce(ideal_lengths.num_ideal, 0))) as last_depth
    from evaluated_topics
    left join ideal_lengths using (qrels_id, topic_id)
),
agreements as (
    -- The sums end at the last depth, so that what would be added below it is taken off.
    select
        depths.evaluation_id,
        depths.num_ideal,
        coalesce(found.total, 0) - coalesce(found.num_shared, 0) * coalesce(below_last.weight, 0) as total,
        case
            when $normalize
            then (1 - pow($p, least(depths.num_ideal, depths.last_depth))) / (1 - $p)
                + depths.num_ideal * (coalesce(below_ideal.weight, 0) - coalesce(below_last.weight, 0))
            else (1 - pow($p, depths.last_depth)) / (1 - $p)
        end as greatest_total
    from depths
    left join found using (evaluation_id)
    left join overlap_weights as below_last on below_last.depth = depths.last_depth + 1
    left join overlap_weights as below_ideal
        on below_ideal.depth = least(depths.num_ideal, depths.last_depth) + 1
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(agreements.total / nullif(agreements.greatest_total, 0), 0) as value,
    cast(agreements.num_ideal as integer) as num_ideal
from evaluated_topics
join agreements using (evaluation_id)
