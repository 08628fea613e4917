-- title: ERR expected over all orders of tied documents
-- definition: A reader stops at a rank of a tie with the probability to come past the documents above it, less that to
--    come past the rank itself too; each is the mean over all sets of the tie's documents that may stand there.
-- parameters: k, max_rel, judged_only
--   max_rel integer? in [1, 1000] = 4   greatest grade there is, greater ones count as it; null is the greatest of the
--                                       judgment set
-- columns: qrels, run, topic, value
--   k   rank cutoff; null is the whole ranking
with recursive longest as (
    select max(cutoffs.last_rank) as last_rank
    from cutoffs(k := $k) as cutoffs
),
satisfying as (
    select
        evaluations.evaluation_id as evaluation_id,
        tied_documents.first_rank as first_rank,
        tied_documents.last_rank as last_rank,
        satisfactions.satisfaction as satisfaction,
        row_number() over (
            partition by evaluations.evaluation_id, tied_documents.first_rank
            order by tied_documents.rank
        ) as number_in_tie
    from asked_evaluations() as evaluations
    join tied_documents(judged_only := $judged_only) as tied_documents using (evaluation_id)
    join satisfactions(max_rel := $max_rel) as satisfactions
        on satisfactions.qrels_id = evaluations.qrels_id
        and satisfactions.grade = tied_documents.grade
    join longest on tied_documents.first_rank <= longest.last_rank
),
tied as (
    select
        evaluation_id,
        first_rank,
        last_rank - first_rank + 1 as size,
        count(*) as num_rel,
        max(satisfaction) as satisfaction,
        product(1 - satisfaction) as passed_whole
    from satisfying
    group by evaluation_id, first_rank, last_rank
),
ties_reached as (
    select
        evaluation_id,
        first_rank,
        size,
        num_rel,
        satisfaction,
        coalesce(
            product(passed_whole) over (
                partition by evaluation_id
                order by first_rank
                rows between unbounded preceding and 1 preceding
            ),
            1
        ) as probability
    from tied
),
passed as (
    -- The probability to come past num_above of a tie's documents in any order: first of those that satisfy nobody,
    -- then in each step with one more that may. It is among num_above of size documents with the probability
    -- num_above / size.
    select
        ties_reached.evaluation_id as evaluation_id,
        ties_reached.first_rank as first_rank,
        cast(0 as bigint) as number_in_tie,
        ties_reached.size - ties_reached.num_rel as size,
        numbers.number as num_above,
        cast(
            case when numbers.number <= ties_reached.size - ties_reached.num_rel then 1 else 0 end as double
        ) as probability
    from ties_reached
    cross join longest
    join numbers_to_longest as numbers
        on numbers.number <= least(ties_reached.size, longest.last_rank - ties_reached.first_rank + 1)
    where ties_reached.size > 1
    union all
    select
        passed.evaluation_id,
        passed.first_rank,
        satisfying.number_in_tie,
        passed.size + 1 as size,
        passed.num_above,
        (
            greatest(passed.size + 1 - passed.num_above, 0) * passed.probability
            + passed.num_above * (1 - satisfying.satisfaction) * coalesce(
                lag(passed.probability) over (
                    partition by passed.evaluation_id, passed.first_rank
                    order by passed.num_above
                ),
                0
            )
        ) / (passed.size + 1) as probability
    from passed
    join satisfying
        on satisfying.evaluation_id = passed.evaluation_id
        and satisfying.first_rank = passed.first_rank
        and satisfying.number_in_tie = passed.number_in_tie + 1
),
whole_ties as (
    select
        passed.evaluation_id as evaluation_id,
        passed.first_rank + passed.num_above as rank,
        ties_reached.probability as reached,
        passed.probability as passed_above,
        lead(passed.probability) over (
            partition by passed.evaluation_id, passed.first_rank
            order by passed.num_above
        ) as passed_with_rank
    from passed
    join ties_reached
        on ties_reached.evaluation_id = passed.evaluation_id
        and ties_reached.first_rank = passed.first_rank
        and ties_reached.num_rel = passed.number_in_tie
),
stops as (
    select
        evaluation_id,
        first_rank as rank,
        probability * satisfaction as probability
    from ties_reached
    where size = 1
    union all
    select
        evaluation_id,
        rank,
        reached * (passed_above - passed_with_rank) as probability
    from whole_ties
    where passed_with_rank is not null
),
reciprocal_ranks as (
    select
        stops.evaluation_id,
        cutoffs.last_rank,
        fsum(stops.probability / stops.rank) as expected
    from stops
    join cutoffs(k := $k) as cutoffs on stops.rank <= cutoffs.last_rank
    group by stops.evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(reciprocal_ranks.expected, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join reciprocal_ranks using (evaluation_id, last_rank)
