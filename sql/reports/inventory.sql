-- title: What the warehouse holds, one row for each judgment set and run, as evalsql ls shows it
-- columns:
--   kind             qrels or run
--   name             name of the judgment set or run
--   qrels            judgment sets in use that evaluate the run, separated by blanks; null for a run not evaluated yet
--   num_topics       topics of the judgment set, or that the run has documents for; null for figures over a whole collection
--   num_rows         judgments, or documents retrieved
--   missing_topics   topics of these judgment sets that the run leaves out, added up over the sets
--   extra_topics     topics of the run that have no judgments, in the set where they are fewest
--   system           system that the run is a load of
--   version          version of that system
--   dated_at         date of the run, or when the judgments were loaded; in UTC
--   meta             what else was given when it was loaded, as key=value separated by blanks
--   tag              run tag inside the file
--   tie_rule         how the run's documents were ordered
--   num_weights      topics of the judgment set that were given a weight
--   loaded_at        when it was loaded, in UTC
--   replaced_at      when newer judgments took the place of the set, in UTC; null while it is in use
--   file             where it came from, several files separated by blanks; the table files has checksums
with metas as (
    select 'run' as kind, run as name, meta
    from runs
    union all
    select 'qrels' as kind, qrels as name, meta
    from qrels
),
pairs as (
    select
        kind,
        name,
        unnest(map_keys(meta)) as key,
        unnest(map_values(meta)) as value
    from metas
),
shown_meta as (
    select
        kind,
        name,
        string_agg(key || '=' || value, ' ' order by key) as meta
    from pairs
    where
        kind = 'qrels'
        or key not in ('system', 'version', 'date')
    group by kind, name
),
lines as (
    select
        holdings.kind,
        holdings.name,
        string_agg(used.qrels, ' ' order by used.qrels) as qrels,
        min(holdings.num_topics) as num_topics,
        min(holdings.num_rows) as num_rows,
        cast(sum(case when used.qrels is not null then holdings.missing_topics end) as bigint) as missing_topics,
        min(case when used.qrels is not null then holdings.extra_topics end) as extra_topics,
        min(holdings.tag) as tag,
        min(holdings.tie_rule) as tie_rule,
        min(holdings.num_weights) as num_weights,
        min(holdings.loaded_at) as loaded_at,
        min(holdings.file) as file
    from holdings
    left join qrels as used
        on used.qrels = holdings.qrels
        and used.replaced_at is null
        and holdings.kind = 'run'
    group by holdings.kind, holdings.name
)
select
    lines.kind,
    lines.name,
    lines.qrels,
    lines.num_topics,
    lines.num_rows,
    lines.missing_topics,
    lines.extra_topics,
    run_versions.system,
    run_versions.version,
    coalesce(run_versions.dated_at, lines.loaded_at) as dated_at,
    shown_meta.meta,
    lines.tag,
    lines.tie_rule,
    lines.num_weights,
    lines.loaded_at,
    case when lines.kind = 'qrels' then qrels.replaced_at end as replaced_at,
    lines.file
from lines
left join run_versions
    on run_versions.run = lines.name
    and lines.kind = 'run'
left join qrels
    on qrels.qrels = lines.name
    and lines.kind = 'qrels'
left join shown_meta
    on shown_meta.kind = lines.kind
    and shown_meta.name = lines.name
