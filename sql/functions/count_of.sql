-- title: A number and its noun, as in 1 run and 2,000 runs
-- parameters:
--   num any = null         the number
--   noun varchar = null    its noun, whose plural takes an s
-- definition: Commas between thousands; the noun is in the plural for every number but 1.
format('{:,} {}', $num, $noun) || case when $num = 1 then '' else 's' end
