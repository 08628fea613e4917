-- title: Krippendorff's alpha: how far judgment sets agree beyond chance, whichever documents each of them judges
-- parameters: names, rel, level
--   level varchar in {nominal, ordinal, interval} = ordinal   what grades that differ count: the same, by how many
--                         judgments lie between them, or the square of their difference
-- columns:
--   num_sets        judgment sets
--   num_documents   documents that two of them judge at least
--   num_judgments   their judgments
--   alpha           Krippendorff's alpha; null where all judgments are the same
-- definition: 1 - D / E: D sums the squared distances of the grades that two sets give the same document, each document
--     weighing by its judgments less one; E what that sum would be if the judgments were dealt out by lot. The ordinal
--     distance of two grades is the number of judgments between them, those of either counting half.
-- reference: Krippendorff 2011, Computing Krippendorff's alpha-reliability, https://repository.upenn.edu/asc_papers/43
with rated as (
    select
        topic_id,
        document_id,
        rating,
        count(*) as num_judges
    from ratings(names := $names, rel := $rel)
    group by topic_id, document_id, rating
),
documents_judged as (
    select
        topic_id,
        document_id,
        sum(num_judges) as num_judges
    from rated
    group by topic_id, document_id
    having sum(num_judges) > 1
),
coincidences as (
    select
        rated.rating,
        others.rating as other_rating,
        sum(
            cast(rated.num_judges as double)
            * (others.num_judges - case when others.rating = rated.rating then 1 else 0 end)
            / (documents_judged.num_judges - 1)
            order by documents_judged.topic_id, documents_judged.document_id
        ) as num_pairs
    from documents_judged
    join rated using (topic_id, document_id)
    join rated as others using (topic_id, document_id)
    group by rated.rating, others.rating
),
totals as (
    select
        rated.rating,
        cast(sum(rated.num_judges) as double) as num_judgments
    from rated
    join documents_judged using (topic_id, document_id)
    group by rated.rating
),
running as (
    -- The middle of each grade's judgments when all judgments are in a row by grade.
    select
        rating,
        num_judgments,
        sum(num_judgments) over (order by rating) - num_judgments / 2 as middle,
        sum(num_judgments) over () as num_all
    from totals
),
distances as (
    select
        running.rating,
        others.rating as other_rating,
        running.num_judgments * others.num_judgments / (running.num_all - 1) as pairs_by_chance,
        case
            when $level = 'nominal' then case when others.rating = running.rating then 0 else 1 end
            when $level = 'interval' then pow(others.rating - running.rating, 2)
            when $level = 'ordinal' then pow(others.middle - running.middle, 2)
        end as distance
    from running
    cross join running as others
),
sums as (
    select
        sum(coalesce(coincidences.num_pairs, 0) * distances.distance order by distances.rating, distances.other_rating)
            as seen,
        sum(distances.pairs_by_chance * distances.distance order by distances.rating, distances.other_rating)
            as by_chance
    from distances
    left join coincidences using (rating, other_rating)
),
counts as (
    select
        count(*) as num_documents,
        coalesce(sum(num_judges), 0) as num_judgments
    from documents_judged
)
select
    (select count(*) from named_qrels(names := $names)) as num_sets,
    counts.num_documents,
    cast(counts.num_judgments as bigint) as num_judgments,
    1 - sums.seen / nullif(sums.by_chance, 0) as alpha
from counts
cross join sums
