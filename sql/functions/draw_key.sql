-- title: The key of a draw by lot, to draw from by hash32
-- parameters:
--   seed integer = 42      seed
--   draw double = null     number of the draw, from 0 to 2^32 - 1
-- definition: What hash32 gives for seed and draw; of a negative seed its last 32 bits count.
hash32(cast($seed as bigint) & 4294967295, $draw)
