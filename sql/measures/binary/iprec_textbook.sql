-- measure: IPrec_textbook
-- title: Interpolated precision at a level of recall, as textbooks define it
-- at: recall
-- parameters: recall, rel, ties in {rule, worst, best}
--   recall double in [0, 1] = 0.1   level of recall
-- definition: The highest precision at any rank where recall is at least the level; 0 if the ranking has no such
--    rank.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: IPrec rounds as trec_eval does. At tenths of recall the two are equal but where binary fractions fall short:
--    trec_eval 9 takes recall 0.7 of 3 documents for 2 of them, which is recall 0.67; here it is 3.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: textbook-curves IPrec_textbook@0.5 = 0.6667
-- example: textbook-curves IPrec_textbook@0.51 = 0.4
with relevant as (
    select
        evaluation_id,
        rank,
        -- The usual count comes with the ranks; any other one is taken down the ranking.
        case
            when $rel = 1 then relevant_rank
            else row_number() over (
                partition by evaluation_id
                order by rank
            )
        end as relevant_rank
    from ordered_ranks(ties := $ties)
    where grade >= $rel
),
interpolated as (
    -- The factor forgives a level that has no exact binary form, 0.7 of 10 documents being 7.
    select
        relevant.evaluation_id,
        max(relevant.relevant_rank / relevant.rank) as precision
    from relevant
    join evaluations on evaluations.evaluation_id = relevant.evaluation_id
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluations.qrels_id
        and topic_counts.topic_id = evaluations.topic_id
    where relevant.relevant_rank >= $recall * topic_counts.num_rel * (1 - 1e-12)
    group by relevant.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(interpolated.precision, 0) as value
from evaluated_topics
left join interpolated on interpolated.evaluation_id = evaluated_topics.evaluation_id
