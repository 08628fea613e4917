-- title: Rows of a file in their order, with their number, by which what is refused is told
-- inputs: raw
-- columns:
--   evalsql_row   number of the row from 1; the columns of the file follow it
select
    row_number() over () as evalsql_row,
    *
from raw
