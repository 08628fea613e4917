-- title: Documents of two rankings with what each contributes to a measure in either
-- inputs: graded, listed, contributions
-- parameters:
--   depth integer in [1, inf) = 100   how far down one looks; a document above is looked up in the other ranking
-- columns:
--   document             document
--   grade                its grade, null if it is not judged
--   rank                 its place in the first ranking, null if it is not there
--   other_rank           its place in the other
--   contribution         what it contributes in the first ranking; 0 if it is not there
--   other_contribution   the same of the other
--   difference           the one less the other
with described as (
    select
        listed.list,
        listed.document_id,
        contributions.rank,
        contributions.contribution
    from contributions
    join listed
        on listed.list = contributions.list
        and listed.rank = contributions.rank
),
paired as (
    select
        coalesce(ours.document_id, theirs.document_id) as document_id,
        ours.rank,
        theirs.rank as other_rank,
        coalesce(ours.contribution, 0) as contribution,
        coalesce(theirs.contribution, 0) as other_contribution
    from (select * from described where list = 'run') as ours
    full join (select * from described where list = 'other') as theirs on theirs.document_id = ours.document_id
)
select
    documents.document,
    graded.grade,
    paired.rank,
    paired.other_rank,
    paired.contribution,
    paired.other_contribution,
    paired.contribution - paired.other_contribution as difference
from paired
join documents on documents.document_id = paired.document_id
left join graded on graded.document_id = paired.document_id
where least(coalesce(paired.rank, paired.other_rank), coalesce(paired.other_rank, paired.rank)) <= $depth
