-- title: Explained documents with the calls that found them first
-- inputs: explained, first_calls
-- columns:
--   call         call of the run that found the document first, behind the columns of explained; null where none did
--   other_call   the same of the other run
select
    explained.*,
    ours.call,
    theirs.call as other_call
from explained
left join first_calls as ours
    on ours.list = 'run'
    and ours.document = explained.document
left join first_calls as theirs
    on theirs.list = 'other'
    and theirs.document = explained.document
