"""Two bundled sets computed from their rules: every end of a game of tic-tac-toe, every balance scale."""

from __future__ import annotations

from itertools import product

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def tic_tac_toe_endgames() -> list[tuple[str, ...]]:
    """Every board on which a game of tic-tac-toe, begun by x, can end, with its label last.

    A row is nine squares (x, o, or b for blank) from top left to bottom right, then "positive" where x has won.

    Examples
    --------
    >>> boards = tic_tac_toe_endgames()
    >>> len(boards), sum(board[-1] == "positive" for board in boards)
    (958, 626)
    """
    ends: set[str] = set()
    seen: set[str] = set()
    open_games = ["b" * 9]
    while open_games:
        board = open_games.pop()
        if _has_won(board, "x") or _has_won(board, "o") or "b" not in board:
            ends.add(board)
            continue
        player = "x" if board.count("x") == board.count("o") else "o"
        moves = {board[:i] + player + board[i + 1 :] for i in range(9) if board[i] == "b"}
        open_games += sorted(moves - seen)
        seen |= moves
    return [(*board, "positive" if _has_won(board, "x") else "negative") for board in sorted(ends)]


def balance_scale(balanced: bool = False) -> list[tuple[int, int, int, int, str]]:
    r"""Every scale with weights and distances 1 to 5, and the side that goes down: L, R, or B for neither.

    A row is left weight, left distance, right weight, right distance, label. The side with the larger
    \(\text{weight} \cdot \text{distance}\) goes down. The 49 balanced scales are left out unless they are asked for.

    Examples
    --------
    >>> len(balance_scale()), len(balance_scale(balanced=True))
    (576, 625)
    """
    rows = []
    for lw, ld, rw, rd in product(range(1, 6), repeat=4):
        label = "L" if lw * ld > rw * rd else "R" if lw * ld < rw * rd else "B"
        if balanced or label != "B":
            rows.append((lw, ld, rw, rd, label))
    return rows


def _has_won(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in _LINES)
