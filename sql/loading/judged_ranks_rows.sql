-- title: Ranks of judged documents for new pairs of judgment set and run
-- inputs: new_pairs
-- columns: evaluation_id
--   rank            rank in the ranking
--   tied_above      documents tied with it above it
--   tied_below      documents tied with it below it
--   judged_rank     rank among the documents with a grade of 0 or more; 0 where its own grade is negative
--   relevant_rank   rank among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade
--   document_id     key of the document
with judged as (
    select
        judged_documents.qrels_id,
        retrieved.run_id,
        retrieved.topic_id,
        retrieved.document_id,
        retrieved.rank,
        retrieved.tied_above,
        retrieved.first_rank,
        judged_documents.grade
    from retrieved
    join judged_documents using (topic_id, document_id)
    where
        retrieved.run_id in (select run_id from new_pairs)
        and judged_documents.qrels_id in (select qrels_id from new_pairs)
),
tied as (
    -- The last of several tied documents has a rank other than the first's.
    select
        run_id,
        topic_id,
        first_rank,
        max(rank) as last_rank
    from retrieved
    where
        tied_above > 0
        and run_id in (select run_id from new_pairs)
    group by run_id, topic_id, first_rank
)
select
    evaluations.evaluation_id,
    judged.rank,
    judged.tied_above,
    coalesce(tied.last_rank - judged.rank, 0) as tied_below,
    case
        when judged.grade >= 0 then row_number() over (
            partition by evaluations.evaluation_id, judged.grade >= 0
            order by judged.rank
        )
        else 0
    end as judged_rank,
    case
        when judged.grade >= 1 then row_number() over (
            partition by evaluations.evaluation_id, judged.grade >= 1
            order by judged.rank
        )
        else 0
    end as relevant_rank,
    judged.grade,
    judged.document_id
from judged
join evaluations using (qrels_id, run_id, topic_id)
join new_pairs using (qrels_id, run_id)
left join tied
    on tied.run_id = judged.run_id
    and tied.topic_id = judged.topic_id
    and tied.first_rank = judged.first_rank
order by evaluations.evaluation_id, judged.rank
