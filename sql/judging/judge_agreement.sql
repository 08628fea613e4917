-- title: How far judges agree with a reference on documents, with intervals, and whether they grade higher or lower
-- parameters: names, rel, reference, samples, seed, confidence
-- columns:
--   qrels             the reference, or the judgment set whose name comes first
--   other             judgment set compared with it
--   num_topics        topics with documents that both judge
--   num_documents     documents that both judge
--   agreement         share of them with the same grade
--   higher            share of them that the other grades higher
--   lower             share of them that it grades lower
--   kappa             Cohen's kappa; null where both give all documents one and the same grade
--   kappa_low         lower end of its interval
--   kappa_high        upper end
--   kappa_quadratic   Cohen's kappa with the squares of differences of grades
--   alpha             Krippendorff's alpha of the two, ordinal
--   alpha_low         lower end of its interval
--   alpha_high        upper end
--   loaded_at         when the other was loaded, in UTC: versions of one judge are NAME, NAME@1 and so on
-- definition: The figures of cohen_kappa and krippendorff_alpha over the documents that both judge. Intervals are
--     quantiles over samples of as many topics, drawn with replacement by the function hash32 as in bootstrap_intervals;
--     samples in which a figure is null are left out.
-- reference: Cohen 1968, doi:10.1037/h0026256; Krippendorff 2011, https://repository.upenn.edu/asc_papers/43
with counts as (
    select
        qrels,
        other,
        topic,
        rating,
        other_rating,
        count(*) as num_documents
    from judged_twice(names := $names, rel := $rel, reference := $reference)
    group by qrels, other, topic, rating, other_rating
),
topics_placed as (
    select
        qrels,
        other,
        topic,
        row_number() over (partition by qrels, other order by topic) as place,
        count(*) over (partition by qrels, other) as num_topics
    from (select distinct qrels, other, topic from counts)
),
-- Sample 0 has every topic once.
draws as (
    select unnest(range(0, cast($samples as bigint) + 1)) as draw
),
drawn_topics as (
    select
        sizes.num_topics,
        draws.draw,
        unnest(range(1, sizes.num_topics + 1)) as nth
    from (select distinct num_topics from topics_placed) as sizes
    cross join draws
),
drawn_times as (
    select
        num_topics,
        draw,
        case
            when draw = 0 then nth
            else 1 + hash32(draw_key($seed, draw), nth) % num_topics
        end as place,
        count(*) as times
    from drawn_topics
    group by num_topics, draw, place
),
cells as materialized (
    select
        counts.qrels,
        counts.other,
        drawn_times.draw,
        counts.rating,
        counts.other_rating,
        cast(sum(counts.num_documents * drawn_times.times) as double) as num_documents
    from counts
    join topics_placed using (qrels, other, topic)
    join drawn_times using (num_topics, place)
    group by counts.qrels, counts.other, drawn_times.draw, counts.rating, counts.other_rating
),
grades as (
    -- How often each of the two gives a grade.
    select
        qrels,
        other,
        draw,
        grade,
        sum(times) as times,
        sum(other_times) as other_times
    from (
        select
            qrels,
            other,
            draw,
            rating as grade,
            num_documents as times,
            0 as other_times
        from cells
        union all
        select
            qrels,
            other,
            draw,
            other_rating as grade,
            0 as times,
            num_documents as other_times
        from cells
    )
    group by qrels, other, draw, grade
),
middles as materialized (
    -- The middle of each grade's judgments when all judgments are in a row by grade.
    select
        *,
        times + other_times as both_times,
        sum(times + other_times) over (partition by qrels, other, draw order by grade)
        - (times + other_times) / 2 as middle
    from grades
),
by_chance as (
    -- Sums of products over pairs of grades, by sums over single grades.
    select
        qrels,
        other,
        draw,
        sum(times * other_times) as num_equal,
        sum(times) * (sum(times * grade * grade) + sum(other_times * grade * grade))
        - 2 * sum(times * grade) * sum(other_times * grade) as squares,
        2 * (sum(both_times) * sum(both_times * middle * middle) - pow(sum(both_times * middle), 2)) as distances
    from middles
    group by qrels, other, draw
),
seen as (
    select
        cells.qrels,
        cells.other,
        cells.draw,
        sum(cells.num_documents) as num_documents,
        sum(case when cells.rating = cells.other_rating then cells.num_documents else 0 end) as num_equal,
        sum(case when cells.other_rating > cells.rating then cells.num_documents else 0 end) as num_higher,
        sum(cells.num_documents * pow(cells.other_rating - cells.rating, 2)) as squares,
        2 * sum(cells.num_documents * pow(others.middle - middles.middle, 2)) as distances
    from cells
    join middles
        on middles.qrels = cells.qrels
        and middles.other = cells.other
        and middles.draw = cells.draw
        and middles.grade = cells.rating
    join middles as others
        on others.qrels = cells.qrels
        and others.other = cells.other
        and others.draw = cells.draw
        and others.grade = cells.other_rating
    group by cells.qrels, cells.other, cells.draw
),
figures as (
    select
        seen.*,
        1 - (seen.num_documents - seen.num_equal) * seen.num_documents
        / nullif(pow(seen.num_documents, 2) - by_chance.num_equal, 0) as kappa,
        1 - seen.squares * seen.num_documents / nullif(by_chance.squares, 0) as kappa_quadratic,
        1 - (2 * seen.num_documents - 1) * seen.distances / nullif(by_chance.distances, 0) as alpha
    from seen
    join by_chance using (qrels, other, draw)
),
intervals as (
    select
        qrels,
        other,
        quantile_cont(kappa, [(1 - $confidence) / 2, (1 + $confidence) / 2]) as kappa_ends,
        quantile_cont(alpha, [(1 - $confidence) / 2, (1 + $confidence) / 2]) as alpha_ends
    from figures
    where draw > 0
    group by qrels, other
)
select
    figures.qrels,
    figures.other,
    sizes.num_topics,
    cast(figures.num_documents as bigint) as num_documents,
    figures.num_equal / figures.num_documents as agreement,
    figures.num_higher / figures.num_documents as higher,
    (figures.num_documents - figures.num_equal - figures.num_higher) / figures.num_documents as lower,
    figures.kappa,
    intervals.kappa_ends[1] as kappa_low,
    intervals.kappa_ends[2] as kappa_high,
    figures.kappa_quadratic,
    figures.alpha,
    intervals.alpha_ends[1] as alpha_low,
    intervals.alpha_ends[2] as alpha_high,
    judges.loaded_at
from figures
join intervals using (qrels, other)
join (select distinct qrels, other, num_topics from topics_placed) as sizes using (qrels, other)
join qrels as judges on judges.qrels = figures.other
where figures.draw = 0
