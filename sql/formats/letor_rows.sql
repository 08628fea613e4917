-- title: Lines of LETOR and RankLib as judgments: the grade, the query behind qid: and the document in the comment
-- inputs: lines
-- columns:
--   evalsql_row   number of the line
--   topic         query
--   document      what stands behind docid =, else the first word of the comment, else the place in the query from 0
--   grade         grade, as text
select
    evalsql_row,
    topic,
    coalesce(
        nullif(regexp_extract(line, '#.*docid\s*=\s*(\S+)', 1), ''),
        nullif(regexp_extract(line, '#\s*(\S+)', 1), ''),
        cast(
            row_number() over (
                partition by topic
                order by evalsql_row
            ) - 1 as varchar
        )
    ) as document,
    grade
from (
    select
        evalsql_row,
        line,
        nullif(regexp_extract(line, '^\s*(\S+)\s+qid:(\S+)', 1), '') as grade,
        nullif(regexp_extract(line, '^\s*(\S+)\s+qid:(\S+)', 2), '') as topic
    from lines
    where
        line is not null
        and not starts_with(ltrim(line), '#')
        and trim(line) <> ''
) as split_lines
