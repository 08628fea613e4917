-- title: For which runs and topics the costs that are asked for are not known, in words
-- inputs: asked_costs, covered, summaries
-- columns:
--   place    1 for the first line
--   remark   a line on what is not known, of each run, then on runs without the cost; of many lines only the first ones, and
--            what means and tests are over then
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
    left join summaries using (cost, qrels, run)
),
unknown as (
    select
        cost,
        list(distinct run order by run) as runs
    from found
    where is_unknown
    group by cost
),
gaps(part, gap) as (
    select
        1,
        case
            when num_topics = 0 then concat(cost, ' of ', run, ' is known for the whole run alone (', qrels, ')')
            else concat(
                cost, ' of ', run, ' is not known for ', num_missing, ' of ', num_missing + num_topics, ' topics (', qrels, '): ',
                first_names(missing)
            )
        end
    from found
    where num_missing > 0
    union all
    select
        2,
        concat(
            cost, ' is not known of ', count_of(len(runs), 'run'), ': ', first_names(runs)
        )
    from unknown
),
lines as (
    select
        gap,
        row_number() over (order by part, gap) as place
    from gaps
)
select
    place,
    concat('  ', gap) as remark
from lines
where place <= 5
union all
select
    6 as place,
    concat('  ... and ', count(*), ' more, see the view cost_summary') as remark
from lines
where place > 5
having count(*) > 0
union all
select
    7 as place,
    '  means of costs are over the topics that have one, tests over those that both runs have one for' as remark
from lines
having count(*) > 0
