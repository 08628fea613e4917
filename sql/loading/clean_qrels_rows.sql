-- title: Lines of a qrels file split at blanks and tabs, and which of them need the exact reader
-- inputs: raw
-- columns: topic
--   iteration   second column
--   document    document
--   grade       degree of relevance
--   doubtful    whether the line is anything but four columns with a whole number at the end
with split as (
    select
        line,
        regexp_extract(
            line,
            '^[ \t]*([^ \t]+)[ \t]+([^ \t]+)[ \t]+([^ \t]+)[ \t]+(-?[0-9]+)[ \t]*$',
            ['topic', 'iteration', 'document', 'grade']
        ) as parts
    from raw
)
select
    parts.topic,
    parts.iteration,
    parts.document,
    try_cast(parts.grade as integer) as grade,
    starts_with(parts.topic, '#') or try_cast(parts.grade as integer) is null as doubtful
from split
-- Lines of blanks alone are left out.
where parts.topic <> '' or regexp_matches(line, '[^ \t]')
