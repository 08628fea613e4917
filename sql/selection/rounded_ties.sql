-- title: Documents whose scores differ in the file and are equal as 32-bit floats, so that their names order them
-- inputs: ranked
-- columns: run
--   num_documents   documents tied with one of another score
--   topic           a topic that has some, and two of its documents of which one score is another
--   document        first document of a tie
--   other           another document of it
with tied as (
    select
        run_id,
        topic_id,
        rank - tied_above as first_rank,
        min(score) as least_score,
        max(score) as greatest_score,
        arg_min(document_id, score) as least_id,
        arg_max(document_id, score) as greatest_id,
        count(*) as num_below
    from ranked
    where tied_above > 0
    group by run_id, topic_id, rank - tied_above
),
-- The first of each group has none above it, so it is looked up by its rank.
found as (
    select
        tied.run_id,
        cast(sum(tied.num_below + 1) as bigint) as num_documents,
        min(tied.topic_id) as topic_id,
        arg_min(ranked.document_id, (tied.topic_id, tied.first_rank)) as document_id,
        arg_min(
            case when ranked.score = tied.least_score then tied.greatest_id else tied.least_id end,
            (tied.topic_id, tied.first_rank)
        ) as other_id
    from tied
    join ranked
        on ranked.run_id = tied.run_id
        and ranked.topic_id = tied.topic_id
        and ranked.rank = tied.first_rank
    where
        ranked.score <> tied.least_score
        or ranked.score <> tied.greatest_score
    group by tied.run_id
)
select
    runs.run,
    found.num_documents,
    topics.topic,
    documents.document,
    others.document as other
from found
join runs using (run_id)
join topics on topics.topic_id = found.topic_id
join documents on documents.document_id = found.document_id
join documents as others on others.document_id = found.other_id
order by found.run_id
