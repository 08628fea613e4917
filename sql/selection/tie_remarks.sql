-- title: What is to be said of runs whose scores leave the order of most documents to their names
-- inputs: ranked
-- columns:
--   place    1 for the first line
--   remark   a line on a run; of many only the first ones
-- definition: Runs of which a document is tied with half of its topic's at least on average, itself among them. That is
--     all of them where all scores of a topic are equal, and cannot be less than half where each document has one of two
--     scores, as of true and false. A document by itself is tied with none.
with ties as (
    select
        run_id,
        topic_id,
        cast(max(tied_above) + 1 as bigint) as num_tied
    from ranked
    where tied_above > 0
    group by run_id, topic_id, rank - tied_above
),
tied as (
    select
        ties.run_id,
        fsum(ties.num_tied * ties.num_tied / run_topics.num_ret) as total
    from ties
    join run_topics using (run_id, topic_id)
    group by ties.run_id
),
shares as (
    select
        runs.run,
        100 * tied.total / sum(run_topics.num_ret) as percent,
        row_number() over (order by runs.run) as place
    from tied
    join runs using (run_id)
    join run_topics using (run_id)
    group by runs.run, tied.total
    having 2 * tied.total >= sum(run_topics.num_ret)
)
select
    place,
    concat(
        run, ': on average a document has the same score as ', format('{:.0f}', percent),
        '% of its topic''s documents, so that their names decide the order; if the file has ranks, '
        || '--tie-rule rank goes by them'
    ) as remark
from shares
where place <= 3
union all
select
    4 as place,
    format('... and {:,} more runs in which names decide the order of documents', count(*)) as remark
from shares
where place > 3
having count(*) > 0
