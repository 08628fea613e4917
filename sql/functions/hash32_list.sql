-- title: What hash32 gives for a key and each of several consecutive whole numbers, as a list
-- parameters:
--   key double = null     whole number from 0 to 2^32 - 1
--   least double = 1      first of the numbers
--   amount double = 1     how many numbers, the last of them up to 2^31 - 1
-- definition: The arithmetic of hash32, step by step over the list. A call for each number takes several times as long,
--     since the engine computes anew what a lambda says twice.
list_transform(
    list_transform(
        list_transform(
            range(
                cast($key as bigint) + cast($least as bigint) * 2654435769,
                cast($key as bigint) + cast($least + $amount as bigint) * 2654435769,
                2654435769
            ),
            lambda number: (cast(number as ubigint) & 4294967295) * 2654435761
        ),
        lambda product: (xor(product, product >> 32) & 4294967295) * 2246822519
    ),
    lambda product: cast(xor(product, product >> 32) & 4294967295 as bigint)
)
