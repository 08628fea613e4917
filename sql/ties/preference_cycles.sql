-- title: Tied documents that are, by way of others of the tie, preferred to themselves on balance of the groups
-- parameters:
--   pairs varchar in {all, implied, retrieved} = all   preferences that count: all; those with a document
--                                                      retrieved; those with both retrieved
--   unit varchar in {one, share, group} = one   what a preference adds: 1; its share of the groups that have one
--                                     between the two; or 1 divided by the preferences that count of the group
--   most_docs integer = 100    ties with more documents than these, where some preference goes against the number of
--                              documents that each is preferred to, are not searched
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   document_id     key of the document; null where the tie is not searched
--   circle_id       key of the first document of those that are preferred to each other in a circle
--   nth             number of the document among them, from 0
--   num_docs        how many they are
with recursive nets as (
    select
        evaluation_id,
        first_rank,
        better_id,
        worse_id
    from net_preferences(pairs := $pairs, unit := $unit)
),
ends as (
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
points as (
    select
        evaluation_id,
        first_rank,
        document_id,
        sum(point) as points,
        count(*) over (partition by evaluation_id, first_rank) as tie_docs
    from ends
    group by evaluation_id, first_rank, document_id
),
doubtful as (
    -- Where every preference is for the document with more points there is no circle.
    select distinct
        nets.evaluation_id as evaluation_id,
        nets.first_rank as first_rank,
        better.tie_docs as tie_docs
    from nets
    join points as better
        on better.evaluation_id = nets.evaluation_id
        and better.document_id = nets.better_id
    join points as worse
        on worse.evaluation_id = nets.evaluation_id
        and worse.document_id = nets.worse_id
    where better.points <= worse.points
),
steps as (
    select
        nets.evaluation_id as evaluation_id,
        nets.first_rank as first_rank,
        nets.better_id as better_id,
        nets.worse_id as worse_id
    from nets
    join doubtful
        on doubtful.evaluation_id = nets.evaluation_id
        and doubtful.first_rank = nets.first_rank
    where doubtful.tie_docs <= $most_docs
),
paths as (
    select
        evaluation_id,
        first_rank,
        better_id,
        worse_id
    from steps
    union
    select
        paths.evaluation_id,
        paths.first_rank,
        paths.better_id,
        steps.worse_id
    from paths
    join steps
        on steps.evaluation_id = paths.evaluation_id
        and steps.better_id = paths.worse_id
),
circles as (
    select
        out_path.evaluation_id as evaluation_id,
        out_path.first_rank as first_rank,
        out_path.better_id as document_id,
        min(out_path.worse_id) as circle_id
    from paths as out_path
    join paths as back_path
        on back_path.evaluation_id = out_path.evaluation_id
        and back_path.better_id = out_path.worse_id
        and back_path.worse_id = out_path.better_id
    group by out_path.evaluation_id, out_path.first_rank, out_path.better_id
)
select
    evaluation_id,
    first_rank,
    document_id,
    circle_id,
    row_number() over (
        partition by evaluation_id, circle_id
        order by document_id
    ) - 1 as nth,
    count(*) over (partition by evaluation_id, circle_id) as num_docs
from circles
union all
select
    evaluation_id,
    first_rank,
    null as document_id,
    null as circle_id,
    null as nth,
    tie_docs as num_docs
from doubtful
where tie_docs > $most_docs
