"""Names of measures that are held against plain loops: ``tests.oracles.by_name`` finds the loop of each.

Gains of ``arguments`` are of every grade that the collections have, and of one that they lack. They lie within 0 to 1
or beyond on either side, touch these or all are one. The depths of ``readers`` are at a document with a gain, where
what is still wanted below it can be less than nothing; some of these readers go on nearly for sure. Of ``worthless``
measures no grade is above the least that is worth something, or all gains are one. Those of ``tied`` know what ties do
to them; they have cutoffs and depths for short rankings.
"""

from pathlib import Path

from tests.long_cases import rows_of

NAMES: dict[str, list[str]] = {}
for group, names in rows_of(Path(__file__).with_name("plain_measures.tsv")):
    NAMES.setdefault(group, []).extend(names.split())

USER_MODELS = [*NAMES["readers"], *NAMES["user models"]]
CURVES, WORTHLESS, TIED = NAMES["curves"], NAMES["worthless"], NAMES["tied"]
MEASURES = [*USER_MODELS, *NAMES["binary"], *CURVES, *NAMES["arguments"], *WORTHLESS]
