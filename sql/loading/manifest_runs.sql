-- title: Runs that a manifest lists, with what is wrong with their lines
-- inputs: manifest
-- columns:
--   line        line of the manifest
--   file        path of the run's file
--   run         its name: the one that is given, else system, version and collection, else the file's stem
--   meta        what is kept with it
--   qrels_ids   keys of the judgment sets to evaluate it with; null where the line does not say it
--   reason      what is wrong with the line; null for nothing
with named as (
    select
        line,
        file,
        is_there,
        meta,
        coalesce(
            meta['run'],
            meta['system'] || coalesce('@' || meta['version'], '')
            || coalesce('/' || meta['collection'], '/' || meta['qrels'], ''),
            stem
        ) as run
    from manifest
),
sets as (
    select
        qrels_id,
        qrels,
        coalesce(meta['collection'], qrels) as collection
    from qrels
    where replaced_at is null
),
judged as (
    select
        named.line,
        list(sets.qrels_id order by sets.qrels_id) as qrels_ids
    from named
    join sets
        on sets.qrels = named.meta['qrels']
        or (named.meta['qrels'] is null and sets.collection = named.meta['collection'])
    group by named.line
),
placed as (
    select
        named.*,
        judged.qrels_ids,
        min(named.line) over (partition by named.file) as file_line,
        min(named.line) over (partition by named.run) as run_line
    from named
    left join judged using (line)
)
select
    line,
    file,
    run,
    map_from_entries(
        list_filter(map_entries(meta), lambda entry: not list_contains(['file', 'run', 'qrels'], entry.key))
    ) as meta,
    qrels_ids,
    case
        when meta['file'] is null then 'names no file; the column file does'
        when not is_there then concat(file, ': no such file')
        when file_line < line then concat(file, ' stands on line ', file_line, ' already')
        when run_line < line then concat('run ', run, ' stands on line ', run_line, ' already')
        when meta['date'] is not null and try_cast(rtrim(meta['date'], 'Z') as timestamp) is null
            then concat('"', meta['date'], '" is no date such as 2026-10-01')
        when qrels_ids is null and meta['qrels'] is not null then concat('no judgment set is called "', meta['qrels'], '"')
        when qrels_ids is null and meta['collection'] is not null then concat(
            'no judgments of the collection ', meta['collection'], ' are here; evalsql load qrels FILE --collection ',
            meta['collection'], ' loads some'
        )
    end as reason
from placed
order by line
