-- title: How likely a reader who goes on from each rank with the same chance comes to a rank
-- parameters: p
--   p double in [0, 1] = 0.9   how likely the reader goes on to the next document
-- columns:
--   rank      a rank that some ranking has
--   reached   p^(rank - 1), multiplied rank by rank: it is so rounded as in trec_eval, which a power is not
select
    rank,
    coalesce(
        product($p) over (
            order by rank
            rows between unbounded preceding and 1 preceding
        ),
        1
    ) as reached
from ranks_to_longest
