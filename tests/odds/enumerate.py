#!/usr/bin/env python3
"""Ways, edge and variance of every bet, by going through the 216 throws.

Written from the approved documents alone: it shares no code and no data with
the program, so that the two can be held against each other.

    python3 enumerate.py            write throws.tsv and one file a pay table
    python3 enumerate.py --check    compare them, exit status 1 on a difference

throws.tsv     sorted throw, its orderings, the boxes that win on it
GAME-LAYOUT    box, ways of 216, odds to 1, edge and variance of a stake of 1
"""

import sys
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

HERE = Path(__file__).resolve().parent
FACES = (1, 2, 3, 4, 5, 6)
THROWS = list(product(FACES, repeat=3))


# What wins. A throw is three numbers; `wins` answers 0 for a losing bet, and
# for a winning one which of the odds of its row applies (1 unless Single Dice).

def wins(box, throw):
    kind, _, tail = box.partition(":")
    total = sum(throw)
    triple = throw[0] == throw[1] == throw[2]
    if kind == "small":                     # Total Sum of 4-10 except Triple
        return int(4 <= total <= 10 and not triple)
    if kind == "big":                       # Total Sum of 11-17 except Triple
        return int(11 <= total <= 17 and not triple)
    if kind == "odd":                       # Odd Value of Total Sum except Triple
        return int(total % 2 == 1 and not triple)
    if kind == "even":                      # Even Value of Total Sum except Triple
        return int(total % 2 == 0 and not triple)
    if kind == "single":                    # Number Bet appearing on 1, 2, 3 dice
        return throw.count(int(tail))
    if kind == "sum":                       # Total Sum of …; 6, 9, 12, 15 on a triple too
        return int(total == int(tail))
    if kind == "domino":                    # Specific Two Dice Combination
        return int(all(int(c) in throw for c in tail))
    if kind == "double":                    # Two Dice with same specific value; a triple too
        return int(throw.count(int(tail)) >= 2)
    if kind == "any-triple":                # Three Dice with same value
        return int(triple)
    if kind == "triple":                    # Three Dice with same specific value
        return int(throw.count(int(tail)) == 3)
    if kind == "four":                      # three of the four numbers match the dice
        return int(len(set(throw) & {int(c) for c in tail}) == 3)
    if kind in ("three", "pair"):           # exactly these three dice
        return int(sorted(throw) == sorted(int(c) for c in tail))
    raise ValueError(box)


# Every box there could be, in order.

def joined(kind, sets):
    return [f"{kind}:" + "".join(map(str, s)) for s in sets]


UNIVERSE = (
    ["small", "big", "odd", "even"]
    + [f"single:{n}" for n in FACES]
    + [f"sum:{n}" for n in range(4, 18)]
    + joined("domino", combinations(FACES, 2))
    + [f"double:{n}" for n in FACES]
    + ["any-triple"]
    + [f"triple:{n}" for n in FACES]
    + joined("four", sorted(c[::-1] for c in combinations(FACES, 4)))
    + joined("three", combinations(FACES, 3))
    + joined("pair", ((d, d, s) for d in FACES for s in FACES if s != d))
)


# The pay tables. Combinations as the documents list them; odds are to 1.

DOMINO = "14 12 24 13 23 34 25 26 35 45 36 15 16 46 56"
FOUR_4 = "6543 6532 5432 4321"
FOUR_15 = ("6543 6542 6532 6432 5432 6541 6531 6431 5431 6521 6421 5421 6321"
           " 5321 4321")
THREE = ("126 135 234 256 346 123 136 145 235 356 124 146 236 245 456 125 134"
         " 156 246 345")
PAIR = ("113 114 115 116 221 223 224 225 226 331 332 334 335 336 441 442 443"
        " 445 446 551 552 553 554 556 661 662 663 664")
NUMBERS = "1 2 3 4 5 6"

# 001 4.1
CLASSIC_1 = [
    ("small", "", "1"), ("big", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "62"), ("sum", "5 16", "31"), ("sum", "6 15", "18"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6"),
    ("domino", DOMINO, "6"), ("double", NUMBERS, "11"),
    ("any-triple", "", "31"), ("triple", NUMBERS, "180"),
]

# 003 and 004 4.1.1
TAI_SAI_1 = [
    ("small", "", "1"), ("big", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "62"), ("sum", "5 16", "31"), ("sum", "6 15", "18"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6"),
    ("domino", DOMINO, "6"), ("double", NUMBERS, "11"),
    ("any-triple", "", "31"), ("triple", NUMBERS, "180"),
]

# 003 and 004 4.1.2
TAI_SAI_2 = [
    ("small", "", "1"), ("big", "", "1"), ("odd", "", "1"), ("even", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "62"), ("sum", "5 16", "31"), ("sum", "6 15", "18"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6"),
    ("domino", DOMINO, "6"), ("double", NUMBERS, "11"),
    ("any-triple", "", "31"), ("triple", NUMBERS, "180"),
    ("four", FOUR_4, "7"), ("three", THREE, "30"), ("pair", PAIR, "50"),
]

# 003 and 004 4.1.3
TAI_SAI_3 = [
    ("small", "", "1"), ("big", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "62"), ("sum", "5 16", "31"), ("sum", "6 15", "18"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6"),
    ("domino", DOMINO, "6"),
    ("any-triple", "", "31"), ("triple", NUMBERS, "180"),
    ("four", FOUR_15, "7"), ("three", THREE, "30"), ("pair", PAIR, "50"),
]

# 002 4.1.1
ETG_1 = [
    ("small", "", "1"), ("big", "", "1"), ("even", "", "1"), ("odd", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "64"), ("sum", "5 16", "32"), ("sum", "6 15", "19"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8.5"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6.5"),
    ("domino", DOMINO, "6"), ("four", FOUR_4, "7.5"),
    ("double", NUMBERS, "11.5"),
    ("any-triple", "", "32"), ("triple", NUMBERS, "195"),
]

# 002 4.1.2
ETG_2 = [
    ("small", "", "1"), ("big", "", "1"), ("even", "", "1"), ("odd", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "64"), ("sum", "5 16", "32"), ("sum", "6 15", "19"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8.5"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6.5"),
    ("domino", DOMINO, "6"), ("four", FOUR_4, "7.5"),
    ("double", NUMBERS, "11.5"),
    ("any-triple", "", "32"), ("triple", NUMBERS, "195"),
    ("three", THREE, "30"), ("pair", PAIR, "50"),
]

# 002 4.1.3
ETG_3 = [
    ("small", "", "1"), ("big", "", "1"), ("even", "", "1"), ("odd", "", "1"),
    ("single", NUMBERS, "1 2 12"),
    ("sum", "4 17", "62"), ("sum", "5 16", "31"), ("sum", "6 15", "18"),
    ("sum", "7 14", "12"), ("sum", "8 13", "8"), ("sum", "9 12", "7"),
    ("sum", "10 11", "6"),
    ("domino", DOMINO, "6"), ("double", NUMBERS, "11"),
    ("any-triple", "", "31"), ("triple", NUMBERS, "180"),
    ("four", FOUR_4, "7"), ("three", THREE, "30"), ("pair", PAIR, "50"),
]

# Each with the number of boxes that lie on its layout.
TABLES = {
    "tai-sai-classic-A": (CLASSIC_1, 50),
    "tai-sai-A": (TAI_SAI_1, 50),
    "tai-sai-C": (TAI_SAI_2, 104),
    "tai-sai-E": (TAI_SAI_3, 107),
    "tai-sai-open-cover-A": (TAI_SAI_1, 50),
    "tai-sai-open-cover-C": (TAI_SAI_2, 104),
    "tai-sai-open-cover-E": (TAI_SAI_3, 107),
    "sic-bo-etg-A": (ETG_1, 56),
    "sic-bo-etg-B": (ETG_2, 104),
    "sic-bo-etg-C": (ETG_3, 104),
}


def odds_of(rows):
    """The odds of each box of a pay table, as fractions."""
    odds = {}
    for kind, members, pays in rows:
        for member in members.split() or [None]:
            box = kind if member is None else f"{kind}:{member}"
            assert box in UNIVERSE and box not in odds, box
            odds[box] = [Fraction(p) for p in pays.split()]
    return odds


def throws_file():
    lines = []
    for throw in sorted({tuple(sorted(t)) for t in THROWS}):
        orderings = sum(1 for t in THROWS if tuple(sorted(t)) == throw)
        boxes = []
        for box in UNIVERSE:
            times = wins(box, throw)
            if times:
                boxes.append(f"{box}*{times}" if box.startswith("single:") else box)
        lines.append("\t".join([" ".join(map(str, throw)), str(orderings), " ".join(boxes)]))
    assert len(lines) == 56
    return "\n".join(lines) + "\n"


def table_file(rows, count):
    odds = odds_of(rows)
    assert len(odds) == count, (len(odds), count)
    lines = ["box\tways\tpays\tedge\tvariance"]
    for box in UNIVERSE:
        if box not in odds:
            continue
        pays = odds[box]
        ways = 0
        mean = square = Fraction(0)
        for throw in THROWS:
            times = wins(box, throw)
            net = pays[times - 1] if times else Fraction(-1)
            ways += times > 0
            mean += net
            square += net * net
        mean /= len(THROWS)
        square /= len(THROWS)
        lines.append("\t".join([box, str(ways), ",".join(map(str, pays)),
                                str(-mean), str(square - mean * mean)]))
    return "\n".join(lines) + "\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    files = {"throws.tsv": throws_file()}
    for name, (rows, count) in TABLES.items():
        files[f"{name}.tsv"] = table_file(rows, count)
    different = []
    for name, text in files.items():
        path = HERE / name
        if not arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            different.append(name)
    if arguments:
        different += sorted(p.name for p in HERE.glob("*.tsv") if p.name not in files)
        for name in different:
            print(f"differs: {name}", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
