-- title: What is to be said of runs with next to nothing in common with judgments, as where ids are of another collection
-- inputs: new_pairs, ranked
-- columns:
--   place    1 for the first line
--   remark   a line on a pair of judgment set and run, with ids of both; of many pairs only the first ones
-- definition: Pairs without a common topic, without a judged document, or with less than a hundredth of those that
--     could be found: of each topic the documents retrieved or judged, whichever are fewer. And those with less than a
--     tenth, if judgments of other topics have as many of the documents: what is found is then there by chance, up to
--     three standard deviations of a count (Poisson) above what is expected. Of ids the first two of each side are told:
--     of judged documents the highest grades, of retrieved ones the first ranks, of topics the first by name.
with judged as (
    select
        qrels_id,
        topic_id,
        count(*) as num_judged
    from judged_documents
    where qrels_id in (select qrels_id from new_pairs)
    group by qrels_id, topic_id
),
found as (
    select
        evaluations.qrels_id,
        evaluations.run_id,
        count(*) as num_found
    from judged_ranks
    join evaluations using (evaluation_id)
    where evaluations.run_id in (select run_id from new_pairs)
    group by evaluations.qrels_id, evaluations.run_id
),
possible as (
    select
        new_pairs.qrels_id,
        new_pairs.run_id,
        count(*) as run_topics,
        count(judged.topic_id) as common_topics,
        cast(coalesce(sum(run_topics.num_ret) filter (where judged.topic_id is not null), 0) as bigint) as num_retrieved,
        -- least() passes over a null, so topics without judgments are left out by the filter.
        coalesce(sum(least(run_topics.num_ret, judged.num_judged)) filter (where judged.topic_id is not null), 0) as most,
        min(judged.topic_id) as topic_id
    from new_pairs
    join run_topics using (run_id)
    left join judged
        on judged.qrels_id = new_pairs.qrels_id
        and judged.topic_id = run_topics.topic_id
    group by new_pairs.qrels_id, new_pairs.run_id
),
few as (
    select
        possible.*,
        coalesce(found.num_found, 0) as num_found
    from possible
    left join found using (qrels_id, run_id)
    where 10 * coalesce(found.num_found, 0) <= possible.most
),
elsewhere as (
    select
        few.qrels_id,
        few.run_id,
        count(*) / ((select count(*) from judged where judged.qrels_id = few.qrels_id) - 1) as expected
    from few
    join ranked using (run_id)
    join judged
        on judged.qrels_id = few.qrels_id
        and judged.topic_id = ranked.topic_id
    join judged_documents
        on judged_documents.qrels_id = few.qrels_id
        and judged_documents.document_id = ranked.document_id
        and judged_documents.topic_id <> ranked.topic_id
    group by few.qrels_id, few.run_id
),
scarce as (
    select
        few.*,
        qrels.qrels,
        runs.run,
        case when few.common_topics = 0 then few.run_topics else few.common_topics end as num_topics,
        row_number() over (order by qrels.qrels, runs.run) as place
    from few
    join qrels using (qrels_id)
    join runs on runs.run_id = few.run_id
    left join elsewhere
        on elsewhere.qrels_id = few.qrels_id
        and elsewhere.run_id = few.run_id
    where
        few.num_found = 0
        or 100 * few.num_found < few.most
        or few.num_found <= elsewhere.expected + 3 * sqrt(elsewhere.expected)
),
told as (
    select
        *,
        count_of(num_topics, 'topic') as topics
    from scarce
    where place <= 3
),
ids as (
    select
        told.place,
        'judgments' as side,
        documents.document as id,
        row_number() over (partition by told.place order by judged_documents.grade desc, documents.document) as id_place
    from told
    join judged_documents
        on judged_documents.qrels_id = told.qrels_id
        and judged_documents.topic_id = told.topic_id
    join documents on documents.document_id = judged_documents.document_id
    union all
    select
        told.place,
        'run' as side,
        documents.document as id,
        ranked.rank as id_place
    from told
    join ranked
        on ranked.run_id = told.run_id
        and ranked.topic_id = told.topic_id
    join documents on documents.document_id = ranked.document_id
    where ranked.rank <= 2
    union all
    select
        told.place,
        'judgments' as side,
        topics.topic as id,
        row_number() over (partition by told.place order by topics.topic) as id_place
    from told
    join judged using (qrels_id)
    join topics on topics.topic_id = judged.topic_id
    where told.topic_id is null
    union all
    select
        told.place,
        'run' as side,
        topics.topic as id,
        row_number() over (partition by told.place order by topics.topic) as id_place
    from told
    join run_topics using (run_id)
    join topics on topics.topic_id = run_topics.topic_id
    where told.topic_id is null
),
sides as (
    select
        place,
        concat('of the ', side, ' ', string_agg(id, ', ' order by id_place)) as ids
    from ids
    where id_place <= 2
    group by place, side
)
select
    told.place,
    concat(
        told.run, ': ',
        case
            when told.common_topics = 0 then concat('none of ', told.topics, ' is')
            else concat(
                case when told.num_found = 0 then 'none' else format('only {:,}', told.num_found) end, ' of ',
                count_of(told.num_retrieved, 'document'), ' retrieved for ', told.topics,
                case when told.num_found > 1 then ' are' else ' is' end
            )
        end,
        ' judged (', told.qrels, '); ', case when told.common_topics = 0 then 'topics ' else 'documents ' end,
        (select string_agg(sides.ids, '; ' order by sides.ids) from sides where sides.place = told.place)
    ) as remark
from told
union all
select
    4 as place,
    format('... and {:,} more runs of which next to nothing is judged', count(*)) as remark
from scarce
where place > 3
having count(*) > 0
