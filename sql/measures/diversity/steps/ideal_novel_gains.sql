-- title: What each document of a topic's ideal ranking is worth, each chosen to gain most after those before it
-- parameters: alpha, rel, k
--   k integer in [1, inf) = null   rank cutoff; null is all relevant documents that still gain anything
-- columns:
--   qrels_id   key of the judgment set
--   topic_id   key of the topic
--   rank       place in the ideal ranking
--   gain       sum over the document's subtopics of (1 - alpha)^n, n documents above being relevant to each
with recursive candidates as (
    select
        qrels_id,
        topic_id,
        document_id,
        kind,
        nth,
        place
    from subtopic_kinds(rel := $rel)
),
steps as (
    -- Before each step a row for each subtopic of each kind of which documents are left: how often the subtopic is
    -- covered, and the place of the document that would be next.
    select
        candidates.qrels_id as qrels_id,
        candidates.topic_id as topic_id,
        1 as rank,
        candidates.kind as kind,
        candidates.nth as nth,
        candidates.place as place,
        assessments.iteration as subtopic,
        0 as covered
    from candidates
    join assessments
        on assessments.qrels_id = candidates.qrels_id
        and assessments.topic_id = candidates.topic_id
        and assessments.document_id = candidates.document_id
    where
        candidates.nth = 1
        and assessments.grade >= $rel
    union all
    (
        with standing as (
            select
                qrels_id,
                topic_id,
                rank,
                kind,
                nth,
                place,
                subtopic,
                covered
            from steps
            where rank < coalesce($k, rank + 1)
        ),
        gaining as (
            select
                qrels_id,
                topic_id,
                place,
                sum(pow(1 - $alpha, covered)) as gain
            from standing
            group by qrels_id, topic_id, place
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
            -- Of those that gain alike, but for rounding, the one whose name comes last. What gains less than this
            -- changes no sum.
            select
                gaining.qrels_id as qrels_id,
                gaining.topic_id as topic_id,
                min(gaining.place) as place
            from gaining
            join greatest_gains
                on greatest_gains.qrels_id = gaining.qrels_id
                and greatest_gains.topic_id = gaining.topic_id
            where
                gaining.gain >= greatest_gains.gain * (1 - 1e-14)
                and greatest_gains.gain > 1e-18
            group by gaining.qrels_id, gaining.topic_id
        ),
        covering as (
            select
                standing.qrels_id as qrels_id,
                standing.topic_id as topic_id,
                standing.place as place,
                standing.subtopic as subtopic
            from standing
            join chosen
                on chosen.qrels_id = standing.qrels_id
                and chosen.topic_id = standing.topic_id
                and chosen.place = standing.place
        )
        select
            standing.qrels_id as qrels_id,
            standing.topic_id as topic_id,
            standing.rank + 1 as rank,
            standing.kind as kind,
            candidates.nth as nth,
            candidates.place as place,
            standing.subtopic as subtopic,
            standing.covered + case when covering.subtopic is null then 0 else 1 end as covered
        from standing
        join chosen
            on chosen.qrels_id = standing.qrels_id
            and chosen.topic_id = standing.topic_id
        join candidates
            on candidates.qrels_id = standing.qrels_id
            and candidates.topic_id = standing.topic_id
            and candidates.kind = standing.kind
            and candidates.nth = standing.nth + case when standing.place = chosen.place then 1 else 0 end
        left join covering
            on covering.qrels_id = standing.qrels_id
            and covering.topic_id = standing.topic_id
            and covering.subtopic = standing.subtopic
    )
),
gains as (
    select
        qrels_id,
        topic_id,
        rank,
        place,
        sum(pow(1 - $alpha, covered)) as gain
    from steps
    group by qrels_id, topic_id, rank, place
)
select
    qrels_id,
    topic_id,
    rank,
    max(gain) as gain
from gains
group by qrels_id, topic_id, rank
