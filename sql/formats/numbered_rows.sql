-- title: Rows of a file in their order, with the number by which messages name them
-- inputs: raw
-- columns:
--   evalsql_row   number of the row from 1; the columns of the file follow it
select
    row_number() over () as evalsql_row,
    *
from raw
