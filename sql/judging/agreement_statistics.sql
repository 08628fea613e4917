-- title: Every statistic of how far judgment sets agree
-- parameters: names, rel
-- columns:
--   place           place of the statistic in the order of this list
--   statistic       agreement, Cohen's kappa with each weighting of disagreement, Fleiss' kappa, Krippendorff's alpha at
--                   each level of measurement
--   qrels           the pair of judgment sets, or all of them, separated by a comma and a blank
--   num_documents   documents that it takes
--   value           its value; null where all judgments are the same
-- definition: The rows of cohen_kappa for each pair, then those of fleiss_kappa and krippendorff_alpha for all together.
with listed as (
    select string_agg(qrels, ', ' order by qrels) as together
    from named_qrels(names := $names)
),
cohen as (
    select 1 as place, 'Cohen''s kappa' as statistic, *
    from cohen_kappa(names := $names, rel := $rel)
    union all
    select 2 as place, 'Cohen''s kappa, linear' as statistic, *
    from cohen_kappa(names := $names, rel := $rel, disagreement := 'linear')
    union all
    select 3 as place, 'Cohen''s kappa, quadratic' as statistic, *
    from cohen_kappa(names := $names, rel := $rel, disagreement := 'quadratic')
),
of_all as (
    select 4 as place, 'Fleiss'' kappa' as statistic, num_documents, kappa as value
    from fleiss_kappa(names := $names, rel := $rel)
    union all
    select 5 as place, 'Krippendorff''s alpha, nominal' as statistic, num_documents, alpha as value
    from krippendorff_alpha(names := $names, rel := $rel, level := 'nominal')
    union all
    select 6 as place, 'Krippendorff''s alpha, ordinal' as statistic, num_documents, alpha as value
    from krippendorff_alpha(names := $names, rel := $rel, level := 'ordinal')
    union all
    select 7 as place, 'Krippendorff''s alpha, interval' as statistic, num_documents, alpha as value
    from krippendorff_alpha(names := $names, rel := $rel, level := 'interval')
)
select
    0 as place,
    'agreement' as statistic,
    qrels || ', ' || other as qrels,
    num_documents,
    agreement as value
from cohen
where place = 1
union all
select
    place,
    statistic,
    qrels || ', ' || other as qrels,
    num_documents,
    kappa as value
from cohen
union all
select
    of_all.place,
    of_all.statistic,
    listed.together as qrels,
    of_all.num_documents,
    of_all.value
from of_all
cross join listed
