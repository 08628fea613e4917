-- title: What each document of a topic's ideal ranking gains, each chosen to gain most after those above it
-- definition: Documents that are relevant to the same subtopics gain alike, so only the one of them whose name comes
--    last is a candidate for the next rank.
-- parameters: alpha, rel, k
--   k integer in [1, inf) = null   rank cutoff; null is all relevant documents that still gain anything
-- columns: qrels_id, topic_id
--   rank   rank in the ideal ranking
--   gain   sum over the document's subtopics of (1 - alpha)^n, n documents above being relevant to each
with recursive numbered as (
    select *
    from documents_by_subtopics(rel := $rel)
),
candidates as (
    -- For each rank the candidates with each of their subtopics, and how many documents above are relevant to it.
    select
        numbered.qrels_id as qrels_id,
        numbered.topic_id as topic_id,
        1 as rank,
        numbered.first_of_alike as first_of_alike,
        numbered.number_of_alike as number_of_alike,
        numbered.name_number as name_number,
        assessments.iteration as subtopic,
        0 as relevant_above
    from numbered
    join assessments using (qrels_id, topic_id, document_id)
    where
        numbered.number_of_alike = 1
        and assessments.grade >= $rel
    union all
    (
        with standing as (
            select
                qrels_id,
                topic_id,
                rank,
                first_of_alike,
                number_of_alike,
                name_number,
                subtopic,
                relevant_above
            from candidates
            where rank < (select max(cutoffs.last_rank) from cutoffs(k := $k) as cutoffs)
        ),
        gaining as (
            select
                qrels_id,
                topic_id,
                name_number,
                fsum(pow(1 - $alpha, relevant_above)) as gain
            from standing
            group by qrels_id, topic_id, name_number
        ),
        greatest_gains as (
            select
                qrels_id,
                topic_id,
                max(gain) as gain
            from gaining
            group by qrels_id, topic_id
        ),
        chosen as (
            -- Of documents with equal gains, up to rounding, the one whose name comes last. A gain of less than this
            -- changes no sum.
            select
                gaining.qrels_id as qrels_id,
                gaining.topic_id as topic_id,
                min(gaining.name_number) as name_number
            from gaining
            join greatest_gains using (qrels_id, topic_id)
            where
                gaining.gain >= greatest_gains.gain * (1 - 1e-14)
                and greatest_gains.gain > 1e-18
            group by gaining.qrels_id, gaining.topic_id
        ),
        chosen_subtopics as (
            select
                standing.qrels_id as qrels_id,
                standing.topic_id as topic_id,
                standing.subtopic as subtopic
            from standing
            join chosen using (qrels_id, topic_id, name_number)
        )
        select
            standing.qrels_id as qrels_id,
            standing.topic_id as topic_id,
            standing.rank + 1 as rank,
            standing.first_of_alike as first_of_alike,
            numbered.number_of_alike as number_of_alike,
            numbered.name_number as name_number,
            standing.subtopic as subtopic,
            standing.relevant_above + case when chosen_subtopics.subtopic is null then 0 else 1 end as relevant_above
        from standing
        join chosen using (qrels_id, topic_id)
        join numbered
            on numbered.qrels_id = standing.qrels_id
            and numbered.topic_id = standing.topic_id
            and numbered.first_of_alike = standing.first_of_alike
            and numbered.number_of_alike
                = standing.number_of_alike + case when standing.name_number = chosen.name_number then 1 else 0 end
        left join chosen_subtopics
            on chosen_subtopics.qrels_id = standing.qrels_id
            and chosen_subtopics.topic_id = standing.topic_id
            and chosen_subtopics.subtopic = standing.subtopic
    )
),
gains as (
    select
        qrels_id,
        topic_id,
        rank,
        name_number,
        fsum(pow(1 - $alpha, relevant_above)) as gain
    from candidates
    group by qrels_id, topic_id, rank, name_number
)
select
    qrels_id,
    topic_id,
    rank,
    max(gain) as gain
from gains
group by qrels_id, topic_id, rank
