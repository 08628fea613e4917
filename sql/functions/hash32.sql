-- title: Whole number from 0 to 2^32 - 1 that stands for a key and another number, as if drawn by lot
-- parameters:
--   key double = null    whole number from 0 to 2^32 - 1: a seed, or what this function gave
--   item double = null   whole number from 0 to 2^32 - 1
-- definition: The number is multiplied by an odd constant, and the halves of the 64-bit product are combined by
--     exclusive or; this is done twice, so that each bit depends on all. It is arithmetic alone, so that every version
--     of the engine and every machine gives the same.
-- reference: Makarov 2016, MUM hash, https://github.com/vnmakarov/mum-hash; Knuth 1998, The art of computer
--     programming, 6.4
xor(
    (
        xor(
            (cast($key as ubigint) + cast($item as ubigint) * 2654435769 & 4294967295) * 2654435761,
            (cast($key as ubigint) + cast($item as ubigint) * 2654435769 & 4294967295) * 2654435761 >> 32
        )
        & 4294967295
    )
    * 2246822519,
    (
        xor(
            (cast($key as ubigint) + cast($item as ubigint) * 2654435769 & 4294967295) * 2654435761,
            (cast($key as ubigint) + cast($item as ubigint) * 2654435769 & 4294967295) * 2654435761 >> 32
        )
        & 4294967295
    )
    * 2246822519
    >> 32
)
& 4294967295
