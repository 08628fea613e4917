-- title: For which runs and topics the costs that are asked for are not known, in words
-- inputs: asked_costs, covered, summaries
-- columns:
--   place   order of the lines: by run, then runs without the cost
--   line    what is not known
with named as (
    select coalesce(cost, (select min(cost) from costs), 'a cost') as cost
    from asked_costs
),
found as (
    select
        named.cost,
        covered.qrels,
        covered.run,
        summaries.run is null as is_unknown,
        summaries.num_topics,
        summaries.missing,
        len(summaries.missing) as num_missing
    from named
    cross join covered
    left join summaries
        on summaries.cost = named.cost
        and summaries.qrels = covered.qrels
        and summaries.run = covered.run
),
unknown as (
    select
        cost,
        list(distinct run order by run) as runs
    from found
    where is_unknown
    group by cost
)
select
    1 as place,
    case
        when num_topics = 0 then concat(cost, ' of ', run, ' is known for the whole run alone (', qrels, ')')
        else concat(
            cost, ' of ', run, ' is not known for ', num_missing, ' of ', num_missing + num_topics, ' topics (', qrels, '): ',
            array_to_string(missing[1:5], ', '), case when num_missing > 5 then ', ...' else '' end
        )
    end as line
from found
where num_missing > 0
union all
select
    2 as place,
    concat(
        cost, ' is not known of ', len(runs), case when len(runs) = 1 then ' run: ' else ' runs: ' end,
        array_to_string(runs[1:5], ', '), case when len(runs) > 5 then ', ...' else '' end
    ) as line
from unknown
