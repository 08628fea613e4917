-- title: Lines of a table without quotes as lists of columns, without blank lines and comments
-- inputs: lines
-- parameters:
--   blanks boolean = false   whether columns are parted by any number of blanks rather than by one tab
-- columns:
--   evalsql_row   number of the line
--   parts         its columns
select
    evalsql_row,
    case
        when $blanks then string_split_regex(trim(line, chr(32) || chr(9)), '[ \t]+')
        else string_split(line, chr(9))
    end as parts
from lines
where
    line is not null
    and not starts_with(line, '#')
    and length(trim(line, chr(32) || chr(9))) > 0
