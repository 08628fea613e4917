-- title: Whole number from 0 to 2^32 - 1 that stands for a key and another number, as if drawn by lot
-- parameters:
--   key double = null    whole number from 0 to 2^32 - 1: a seed, or what this function gave
--   item double = null   whole number from 0 to 2^32 - 1
-- definition: Twice multiplied by an odd constant, the halves of the product of 64 bits put together by exclusive or,
--     until each bit depends on all. Arithmetic alone, so that no version of the engine and no machine gives another.
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
