-- title: Runs whose scores leave the order of most documents to their names
-- inputs: ranked
-- columns: run_id
--   tied_share   share of its topic's documents that a document is tied with on average, itself among them
-- definition: Runs with a share of 1/2 at least: it is 1 where all scores of a topic are equal, and cannot be less
--     where each document has one of two scores, as of true and false. A document by itself is tied with none.
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
    join run_topics
        on run_topics.run_id = ties.run_id
        and run_topics.topic_id = ties.topic_id
    group by ties.run_id
)
select
    tied.run_id,
    tied.total / sum(run_topics.num_ret) as tied_share
from tied
join run_topics on run_topics.run_id = tied.run_id
group by tied.run_id, tied.total
having 2 * tied.total >= sum(run_topics.num_ret)
