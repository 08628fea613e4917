-- title: Tied documents that are, by way of others, preferred to themselves on balance of the judgment groups
-- parameters: pairs, unit, most_docs
--   most_docs integer = 100    ties of more documents than these are not searched where there may be a cycle
-- columns: evaluation_id
--   document_id       key of the document; null where the tie is not searched
--   cycle_id          key of the first document of those that are preferred to each other in a cycle
--   number_in_cycle   number of the document among them, from 0
--   num_docs          how many they are
with recursive nets as (
    select *
    from net_preferences(pairs := $pairs, unit := $unit)
),
compared_documents as (
    select
        evaluation_id,
        first_rank,
        better_id as document_id,
        1 as point
    from nets
    union all
    select
        evaluation_id,
        first_rank,
        worse_id as document_id,
        -1 as point
    from nets
),
copeland_scores as (
    select
        evaluation_id,
        first_rank,
        document_id,
        sum(point) as score,
        count(*) over (partition by evaluation_id, first_rank) as tie_docs
    from compared_documents
    group by evaluation_id, first_rank, document_id
),
doubtful_ties as (
    -- Where every preference is for the document with the higher score there is no cycle.
    select distinct
        nets.evaluation_id as evaluation_id,
        nets.first_rank as first_rank,
        better.tie_docs as tie_docs
    from nets
    join copeland_scores as better
        on better.evaluation_id = nets.evaluation_id
        and better.document_id = nets.better_id
    join copeland_scores as worse
        on worse.evaluation_id = nets.evaluation_id
        and worse.document_id = nets.worse_id
    where better.score <= worse.score
),
edges as (
    select
        nets.evaluation_id as evaluation_id,
        nets.better_id as better_id,
        nets.worse_id as worse_id
    from nets
    join doubtful_ties using (evaluation_id, first_rank)
    where doubtful_ties.tie_docs <= $most_docs
),
paths as (
    select
        evaluation_id,
        better_id,
        worse_id
    from edges
    union
    select
        paths.evaluation_id,
        paths.better_id,
        edges.worse_id
    from paths
    join edges
        on edges.evaluation_id = paths.evaluation_id
        and edges.better_id = paths.worse_id
),
cycles as (
    select
        there.evaluation_id as evaluation_id,
        there.better_id as document_id,
        min(there.worse_id) as cycle_id
    from paths as there
    join paths as back
        on back.evaluation_id = there.evaluation_id
        and back.better_id = there.worse_id
        and back.worse_id = there.better_id
    group by there.evaluation_id, there.better_id
)
select
    evaluation_id,
    document_id,
    cycle_id,
    row_number() over (
        partition by evaluation_id, cycle_id
        order by document_id
    ) - 1 as number_in_cycle,
    count(*) over (partition by evaluation_id, cycle_id) as num_docs
from cycles
union all
select
    evaluation_id,
    null as document_id,
    null as cycle_id,
    null as number_in_cycle,
    tie_docs as num_docs
from doubtful_ties
where tie_docs > $most_docs
