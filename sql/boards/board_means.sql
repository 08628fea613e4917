-- title: Boards: the mean of each system over collections, and its place, by five kinds of mean
-- parameters: measure, lower_is_better, missing, versions
-- columns: measure, system, version
--   num_collections      collections averaged
--   macro                mean over collections, each of which weighs the same
--   micro                mean over the topics of all collections; null where a collection has a figure without topics
--   borda                mean place (Borda's count): the less the better
--   wins                 mean share of the other systems that it is better than; null for one system
--   standardised         mean of the standardised values
--   macro_place          place by the macro mean: 1 and the number of systems that are strictly better
--   micro_place          place by the micro mean; null where it has none
--   borda_place          place by the mean place
--   wins_place           place by the share of wins
--   standardised_place   place by the mean of the standardised values
-- definition: Collections differ in how hard they are and in how far systems are apart on them. A macro mean goes by
--     collections with large differences, a micro mean by those with many topics. Standardised values have the same
--     spread on every collection; places and wins only say who is better. Where every system has every collection,
--     borda and wins place alike.
-- reference: Borda 1781; Webber, Moffat and Zobel 2008, doi:10.1145/1390334.1390346; Liang and others 2023 (mean win
--     rate), arXiv:2211.09110; Thakur and others 2021 (macro mean), arXiv:2104.08663
with means as (
    -- The order makes sums the same to the last digit each time.
    select
        board.measure as measure_name,
        system,
        version,
        count(*) as num_collections,
        sum(value order by collection) / count(*) as macro,
        case
            when count(num_topics) = count(*) then sum(value * num_topics order by collection) / sum(num_topics)
        end as micro,
        sum(borda order by collection) / count(*) as borda,
        sum(wins order by collection) / count(wins) as wins,
        sum(standardised order by collection) / count(*) as standardised,
        case when $lower_is_better then -1 else 1 end as direction
    from boards(
        measure := $measure,
        lower_is_better := $lower_is_better,
        missing := $missing,
        versions := $versions
    ) as board
    group by board.measure, system, version
)
select
    measure_name as measure,
    system,
    version,
    num_collections,
    macro,
    micro,
    borda,
    wins,
    standardised,
    rank() over (order by round(direction * macro, 12) desc) as macro_place,
    case
        when micro is not null then rank() over (order by round(direction * micro, 12) desc nulls last)
    end as micro_place,
    rank() over (order by round(borda, 12)) as borda_place,
    case when wins is not null then rank() over (order by round(wins, 12) desc nulls last) end as wins_place,
    rank() over (order by round(standardised, 12) desc) as standardised_place
from means
