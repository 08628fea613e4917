-- measure: Compat
-- title: Compatibility: rank-biased overlap of the ranking with the ideal one nearest to it
-- aliases: compatibility
-- parameters: p = 0.95, normalize, ties in {rule, worst, best}
--   normalize boolean = true        divide by the overlap of the ideal ranking with itself
-- columns:
--   num_ideal   documents of the ideal ranking
-- definition: Sum over the places d of p^(d - 1) * (documents among the first d of both rankings) / d, down to the
--    end of the longer one, divided by the same of the ideal ranking with itself, or by the sum of p^(d - 1). The
--    ideal ranking has the documents of positive grade by grade, equal ones as the run has them. 0 if there are
--    none.
-- reference: Clarke, Vtyurina and Smucker 2021, Assessing top-k preferences, doi:10.1145/3451161
-- differs: Equal to compatibility.py and ir_measures but for documents of one grade when some have scores below 0:
--    these stand behind the ones not retrieved there, and before them here.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models Compat(p=0.5) = 0.268
-- example: user-models Compat(p=0.5,normalize=false) = 0.2602
with shared as (
    select
        evaluations.evaluation_id as evaluation_id,
        graded_ranks.rank,
        graded_ranks.gain as grade,
        evaluations.qrels_id as qrels_id,
        evaluations.topic_id as topic_id,
        row_number() over (
            partition by evaluations.evaluation_id, graded_ranks.gain
            order by graded_ranks.rank
        ) as nth_of_grade
    from evaluations
    join gains_by_rank(ties := $ties) as graded_ranks
        on graded_ranks.evaluation_id = evaluations.evaluation_id
),
grade_counts as (
    select
        qrels_id,
        topic_id,
        grade,
        count(*) as num_documents
    from judged_documents
    where grade > 0
    group by qrels_id, topic_id, grade
),
grade_places as (
    select
        qrels_id,
        topic_id,
        grade,
        num_documents,
        sum(num_documents) over (
            partition by qrels_id, topic_id
            order by grade desc
            rows between unbounded preceding and current row
        ) - num_documents as num_above
    from grade_counts
),
sizes as (
    select
        qrels_id,
        topic_id,
        sum(num_documents) as num_ideal
    from grade_counts
    group by qrels_id, topic_id
),
ends as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        coalesce(sizes.num_ideal, 0) as num_ideal,
        greatest(evaluated_topics.num_ret, coalesce(sizes.num_ideal, 0)) as depth
    from evaluated_topics
    left join sizes
        on sizes.qrels_id = evaluated_topics.qrels_id
        and sizes.topic_id = evaluated_topics.topic_id
),
found as (
    select
        shared.evaluation_id,
        count(*) as num_shared,
        sum(coalesce(overlap_weights.rest, 0)) as total
    from shared
    join grade_places
        on grade_places.qrels_id = shared.qrels_id
        and grade_places.topic_id = shared.topic_id
        and grade_places.grade = shared.grade
    left join overlap_weights(p := $p) as overlap_weights
        on overlap_weights.place = greatest(shared.rank, grade_places.num_above + shared.nth_of_grade)
    group by shared.evaluation_id
),
agreements as (
    select
        ends.evaluation_id,
        ends.num_ideal,
        coalesce(found.total, 0) - coalesce(found.num_shared, 0) * coalesce(below_all.rest, 0) as total,
        case
            when $normalize
            then (1 - pow($p, ends.num_ideal)) / (1 - $p)
                + ends.num_ideal * (coalesce(below_ideal.rest, 0) - coalesce(below_all.rest, 0))
            else (1 - pow($p, ends.depth)) / (1 - $p)
        end as greatest_total
    from ends
    left join found on found.evaluation_id = ends.evaluation_id
    left join overlap_weights(p := $p) as below_all
        on below_all.place = ends.depth + 1
    left join overlap_weights(p := $p) as below_ideal
        on below_ideal.place = ends.num_ideal + 1
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(agreements.total / nullif(agreements.greatest_total, 0), 0) as value,
    cast(agreements.num_ideal as integer) as num_ideal
from evaluated_topics
join agreements on agreements.evaluation_id = evaluated_topics.evaluation_id
