-- title: Expected reciprocal rank as other programs have it by mistake
-- parameters: k, max_rel, judged_only, ties
--   max_rel integer? in [1, 1000] = 4   greatest grade there is, greater ones count as it; null is the greatest of the
--                                       judgment set
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called. Under ties = expected there is none.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with stops as (
    select
        ranks.evaluation_id as evaluation_id,
        ranks.rank as rank,
        satisfactions.satisfaction as by_gain,
        least(ranks.grade, greatest_grades.greatest_grade) / greatest_grades.greatest_grade as by_grade
    from evaluated_topics
    join ordered_ranks(judged_only := $judged_only, ties := $ties) as ranks using (evaluation_id)
    join greatest_grades(max_rel := $max_rel) as greatest_grades using (qrels_id)
    join satisfactions(max_rel := $max_rel) as satisfactions using (qrels_id, grade)
),
reached as (
    select
        evaluation_id,
        rank,
        by_gain,
        by_gain * coalesce(product(1 - by_gain) over above, 1) as stops_by_gain,
        by_grade * coalesce(product(1 - by_grade) over above, 1) as stops_by_grade
    from stops
    window above as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and 1 preceding
    )
),
totals as (
    select
        reached.evaluation_id,
        cutoffs.last_rank,
        fsum(reached.stops_by_grade / reached.rank) as by_grade,
        fsum(reached.stops_by_gain) as without_rank,
        fsum(reached.by_gain / reached.rank) as never_stopped
    from reached
    join cutoffs(k := $k) as cutoffs on reached.rank <= cutoffs.last_rank
    group by reached.evaluation_id, cutoffs.last_rank
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        unnest([
            {'variant': 'lets the reader stop with grade / greatest grade', 'given': totals.by_grade},
            {'variant': 'does not divide by the rank', 'given': totals.without_rank},
            {'variant': 'forgets that the reader may have stopped above', 'given': totals.never_stopped}
        ], recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join totals using (evaluation_id, last_rank)
    where $ties <> 'expected'
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
