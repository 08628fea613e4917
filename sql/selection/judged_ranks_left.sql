-- title: Ranks of judged documents as they would be if some had not been judged
-- inputs: left_out, chosen
-- columns: evaluation_id
--   rank            place in the ranking
--   tied_above      documents tied with it above it
--   tied_below      documents tied with it below it
--   first_rank      place of the first document tied with it
--   last_rank       place of the last document tied with it
--   judged_rank     place among the documents with a grade of 0 or more; 0 where its own grade is negative
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade
--   document_id     key of the document
select
    judged_ranks.* replace (
        case
            when judged_ranks.grade >= 0 then row_number() over (
                partition by judged_ranks.evaluation_id, judged_ranks.grade >= 0
                order by judged_ranks.rank
            )
            else 0
        end as judged_rank,
        case
            when judged_ranks.grade >= 1 then row_number() over (
                partition by judged_ranks.evaluation_id, judged_ranks.grade >= 1
                order by judged_ranks.rank
            )
            else 0
        end as relevant_rank
    )
from judged_ranks
join chosen on chosen.evaluation_id = judged_ranks.evaluation_id
left join left_out
    on left_out.qrels_id = chosen.qrels_id
    and left_out.topic_id = chosen.topic_id
    and left_out.document_id = judged_ranks.document_id
where left_out.qrels_id is null
