"""The two sets that follow from rules, against the bundled files."""

from __future__ import annotations

from collections import Counter

from mcmteach.datasets import balance_scale, raw_text, tic_tac_toe_endgames


def test_tic_tac_toe_is_every_end_of_a_game() -> None:
    bundled = {tuple(line.split(",")) for line in raw_text("tic-tac-toe").split()[1:]}
    assert set(tic_tac_toe_endgames()) == bundled and len(bundled) == 958


def test_balance_scale_is_every_lever() -> None:
    bundled = {(*map(float, line.split(",")[:4]), line[-1]) for line in raw_text("balance-scale").split()[1:]}
    assert set(balance_scale()) == bundled and len(bundled) == 576
    assert Counter(row[-1] for row in balance_scale(balanced=True)) == {"L": 288, "R": 288, "B": 49}
