-- title: Documents of two rankings with what each contributes to a measure in either
-- inputs: listed, contributions
-- parameters:
--   depth integer in [1, inf) = 100   how far down one looks; a document above is looked up in the other ranking
-- columns:
--   document             document
--   grade                its grade, null if it is not judged
--   rank                 its rank in the first ranking, null if it is not there
--   other_rank           its rank in the other
--   contribution         what it contributes in the first ranking; 0 if it is not there, null where that is not known
--   other_contribution   the same of the other
--   difference           contribution less other_contribution; 0 where they differ by rounding alone
with described as (
    select
        listed.list,
        listed.document,
        listed.grade,
        contributions.rank,
        contributions.contribution,
        contributions.value
    from contributions
    join listed using (list, rank)
),
paired as (
    select
        coalesce(ours.document, theirs.document) as document,
        coalesce(ours.grade, theirs.grade) as grade,
        ours.rank,
        theirs.rank as other_rank,
        case when ours.document is null then 0 else ours.contribution end as contribution,
        case when theirs.document is null then 0 else theirs.contribution end as other_contribution,
        greatest(abs(coalesce(ours.value, 0)), abs(coalesce(theirs.value, 0))) as size
    from (select * from described where list = 'run') as ours
    full join (select * from described where list = 'other') as theirs on theirs.document = ours.document
)
select
    paired.document,
    paired.grade,
    paired.rank,
    paired.other_rank,
    paired.contribution,
    paired.other_contribution,
    case
        when abs(paired.contribution - paired.other_contribution) <= 1e-14 * paired.size then 0
        else paired.contribution - paired.other_contribution
    end as difference
from paired
where least(coalesce(paired.rank, paired.other_rank), coalesce(paired.other_rank, paired.rank)) <= $depth
