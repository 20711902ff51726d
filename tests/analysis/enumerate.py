#!/usr/bin/env python3
"""Moments of every bet, slips over many rounds, and ruin, in whole numbers.

Uses the enumeration of ../odds, which is written from the approved documents
alone, and shares no code and no data with the program.

    python3 enumerate.py

box    TABLE BOX WAYS EDGE VARIANCE THIRD      of a stake of 1
slip   TABLE BETS ROUNDS BELOW EVEN LOW HIGH   chances of a net result below
                                               and at zero, and the band that
                                               leaves 2.5 % out on each side
ruin   TABLE BETS BANKROLL ROUNDS CHANCE       no longer able to place the slip

Amounts are cents, chances have thirty decimals.
"""

import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "odds"))
import enumerate as odds  # noqa: E402  (the file of that name beside this folder)


def net(pays, box, throw):
    times = odds.wins(box, throw)
    return pays[box][times - 1] if times else Fraction(-1)


def boxes():
    for name, (rows, _) in odds.TABLES.items():
        pays = odds.odds_of(rows)
        for box in odds.UNIVERSE:
            if box not in pays:
                continue
            nets = [net(pays, box, throw) for throw in odds.THROWS]
            mean = sum(nets) / 216
            moment = [sum((n - mean) ** k for n in nets) / 216 for k in (2, 3)]
            ways = sum(n > 0 for n in nets)
            print("box", name, box, ways, -mean, *moment, sep="\t")


def one_round(name, bets):
    """Ways of 216 of every net result in cents."""
    pays = odds.odds_of(odds.TABLES[name][0])
    spread = {}
    for throw in odds.THROWS:
        result = sum(cents * net(pays, box, throw) for box, cents in bets)
        assert result.denominator == 1, (name, bets, throw)
        spread[int(result)] = spread.get(int(result), 0) + 1
    return spread


def decimals(ways, rounds):
    scaled = (ways * 10**30 * 2 + 216**rounds) // (2 * 216**rounds)
    return f"{scaled // 10**30}.{scaled % 10**30:030}"


def slip(name, bets, rounds):
    spread = one_round(name, bets)
    sums = {0: 1}
    for _ in range(rounds):
        following = {}
        for total, ways in sums.items():
            for result, more in spread.items():
                following[total + result] = following.get(total + result, 0) + ways * more
        sums = following
    below = sum(ways for total, ways in sums.items() if total < 0)
    ends = []
    for part in (25, 975):
        seen = 0
        for total in sorted(sums):
            seen += sums[total]
            if seen * 1000 >= part * 216**rounds:
                ends.append(total)
                break
    print("slip", name, written(bets), rounds, decimals(below, rounds),
          decimals(sums.get(0, 0), rounds), *ends, sep="\t")


def ruin(name, bets, bankroll, rounds):
    spread = one_round(name, bets)
    cost = sum(cents for _, cents in bets)
    alive, ruined = {bankroll: 1}, 0
    for played in range(1, rounds + 1):
        following = {}
        for money, ways in alive.items():
            for result, more in spread.items():
                left = money + result
                if left < cost:
                    ruined += ways * more * 216 ** (rounds - played)
                else:
                    following[left] = following.get(left, 0) + ways * more
        alive = following
    print("ruin", name, written(bets), bankroll, rounds, decimals(ruined, rounds), sep="\t")


def written(bets):
    return " ".join(f"{box}={cents}" for box, cents in bets)


def main():
    boxes()
    big = [("big", 100)]
    mixed = [("sum:8", 200), ("single:3", 500), ("triple:2", 100)]
    wide = [("small", 1000), ("any-triple", 300), ("domino:12", 500), ("sum:4", 200), ("pair:113", 100)]
    for rounds in (1, 10, 100, 400):
        slip("tai-sai-A", big, rounds)
    for rounds in (1, 7, 60):
        slip("sic-bo-etg-B", mixed, rounds)
    for rounds in (3, 40):
        slip("tai-sai-C", wide, rounds)
    ruin("tai-sai-A", big, 2000, 200)
    ruin("sic-bo-etg-B", mixed, 5000, 60)
    ruin("tai-sai-C", wide, 7550, 40)


if __name__ == "__main__":
    main()
