-- title: What each judgment group says of each retrieved document that it has judged
-- parameters: rel, judged_only
--   judged_only boolean = false   whether it matters that a document has been judged not relevant
-- columns: evaluation_id, judgment_group
--   group_number     number of the group among those of the topic
--   document_id      key of the document
--   first_rank       rank of the first document tied with it
--   last_rank        rank of the last document tied with it
--   judgment         2 for a relevant document; 1 for one judged not relevant, where that matters; else 0
--   is_relevant      whether the document is relevant to some group
with judgment_groups as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        row_number() over (
            partition by qrels_id, topic_id
            order by judgment_group
        ) as group_number
    from group_relevant_counts(rel := $rel)
),
judged_by_group as (
    select
        judged_ranks.evaluation_id as evaluation_id,
        judgment_groups.judgment_group as judgment_group,
        judgment_groups.group_number as group_number,
        judged_ranks.document_id as document_id,
        judged_ranks.first_rank as first_rank,
        judged_ranks.last_rank as last_rank,
        case
            when assessments.grade >= $rel then 2
            when assessments.grade >= 0 and $judged_only then 1
            else 0
        end as judgment
    from asked_ranks() as judged_ranks
    join asked_evaluations() as evaluations using (evaluation_id)
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = judged_ranks.document_id
    join judgment_groups
        on judgment_groups.qrels_id = assessments.qrels_id
        and judgment_groups.topic_id = assessments.topic_id
        and judgment_groups.judgment_group = assessments.iteration
)
select
    *,
    max(judgment) over (partition by evaluation_id, document_id) = 2 as is_relevant
from judged_by_group
