-- title: What each judgment group says of each retrieved document that it has judged
-- parameters: rel, judged_only
--   judged_only boolean = false     whether it matters that a document has been judged not relevant
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   iteration of the judgments, which names the group
--   nth_group        number of the group among those of the topic
--   document_id      key of the document
--   first_rank       place of the first document tied with it
--   last_rank        place of the last document tied with it
--   state            2 for a relevant document; 1 for one judged not relevant, where that matters; else 0
--   is_wanted        whether the document is relevant for some group
with numbered as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        row_number() over (partition by qrels_id, topic_id order by judgment_group) as nth_group
    from group_relevant_counts(rel := $rel)
),
states as (
    select
        judged_ranks.evaluation_id as evaluation_id,
        numbered.judgment_group as judgment_group,
        numbered.nth_group as nth_group,
        judged_ranks.document_id as document_id,
        judged_ranks.first_rank as first_rank,
        judged_ranks.last_rank as last_rank,
        case
            when assessments.grade >= $rel then 2
            when assessments.grade >= 0 and $judged_only then 1
            else 0
        end as state
    from judged_ranks
    join evaluations on evaluations.evaluation_id = judged_ranks.evaluation_id
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = judged_ranks.document_id
    join numbered
        on numbered.qrels_id = assessments.qrels_id
        and numbered.topic_id = assessments.topic_id
        and numbered.judgment_group = assessments.iteration
)
select
    evaluation_id,
    judgment_group,
    nth_group,
    document_id,
    first_rank,
    last_rank,
    state,
    max(state) over (partition by evaluation_id, document_id) = 2 as is_wanted
from states
