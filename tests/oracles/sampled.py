"""The sampled tests by plain loops, over the very samples that the relations draw."""

import itertools
from collections.abc import Sequence
from statistics import NormalDist


def hash32(key: int, item: int) -> int:
    """What the SQL function of that name gives, in the arithmetic of Python."""
    number = (key + item * 2654435769) % 2**32
    for factor in (2654435761, 2246822519):
        product = number * factor
        number = (product % 2**32) ^ (product >> 32)
    return number


def _keys(samples: int, seed: int) -> list[int]:
    return [hash32(seed % 2**32, draw) for draw in range(1, samples + 1)]


def exact_randomisation(differences: Sequence[float]) -> float:
    """Share of all assignments of signs; takes 2^n steps."""
    observed = abs(sum(differences)) - 1e-12
    signs = itertools.product((-1, 1), repeat=len(differences))
    sums = [sum(sign * value for sign, value in zip(chosen, differences, strict=True)) for chosen in signs]
    return sum(abs(total) >= observed for total in sums) / len(sums)


def counted_randomisation(differences: Sequence[int]) -> float:
    """The same for whole numbers: how many assignments lead to each sum."""
    counts = {0: 1}
    for value in differences:
        further: dict[int, int] = {}
        for total, count in counts.items():
            for reached in (total + value, total - value):
                further[reached] = further.get(reached, 0) + count
        counts = further
    extreme = sum(count for total, count in counts.items() if abs(total) >= abs(sum(differences)))
    return float(extreme / 2 ** len(differences))


def randomisation(differences: Sequence[float], samples: int, seed: int) -> float:
    """p value from the signs drawn."""
    observed = abs(sum(differences)) - 1e-12
    count = 0
    for key in _keys(samples, seed):
        signs = [-1 if hash32(key, place) < 2**31 else 1 for place in range(1, len(differences) + 1)]
        count += abs(sum(sign * value for sign, value in zip(signs, differences, strict=True))) >= observed
    return (count + 1) / (samples + 1)


def bootstrap(differences: Sequence[float], samples: int, seed: int, confidence: float) -> tuple[float, ...]:
    """Ends of the percentile and of the BCa interval, and the p value."""
    n = len(differences)
    observed = sum(differences) / n
    means = sorted(
        sum(differences[hash32(key, draw) % n] for draw in range(1, n + 1)) / n for key in _keys(samples, seed)
    )
    extreme = sum(abs(mean - observed) >= abs(observed) - 1e-13 for mean in means)
    below = sum(mean < observed - 1e-13 for mean in means) + sum(mean <= observed + 1e-13 for mean in means)
    normal = NormalDist()
    bias = normal.inv_cdf(min(max(below, 1), 2 * samples - 1) / (2 * samples))
    left_out = [(sum(differences) - value) / (n - 1) for value in differences]
    centre = sum(left_out) / n
    cubes = sum((centre - value) ** 3 for value in left_out)
    acceleration = cubes / (6 * sum((centre - value) ** 2 for value in left_out) ** 1.5)
    tail = (1 - confidence) / 2
    shares = [tail, 1 - tail]
    for share in (tail, 1 - tail):
        moved = bias + normal.inv_cdf(share)
        shares.append(normal.cdf(bias + moved / (1 - acceleration * moved)))
    return (*(_quantile(means, share) for share in shares), (extreme + 1) / (samples + 1))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def tukey(values: Sequence[Sequence[float]], samples: int, seed: int) -> dict[tuple[int, int], float]:
    """p of each pair of runs; ``values`` holds for each topic the values of the runs."""
    num_runs = len(values[0])
    ranges = []
    for key in _keys(samples, seed):
        totals = [0.0] * num_runs
        for place, block in enumerate(values, start=1):
            topic_key = hash32(key, place)
            order = sorted(range(num_runs), key=lambda run: hash32(topic_key, run + 1))
            for position, run in enumerate(order):
                totals[position] += block[run]
        ranges.append(max(totals) - min(totals))
    found = {}
    for first, second in itertools.combinations(range(num_runs), 2):
        observed = abs(sum(block[second] - block[first] for block in values)) - 1e-12
        found[first, second] = (sum(spread >= observed for spread in ranges) + 1) / (samples + 1)
    return found
