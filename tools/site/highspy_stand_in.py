"""In the OFFLINE laboratory, in the place of highspy, whose wheel for WebAssembly is on no registry: the HiGHS inside scipy.

scipy's compiled module is that of highspy, one version older: it lacks the one call below. The laboratory's scipy is pinned, so
that its private name is there.
"""

from scipy.optimize._highspy import _core
from scipy.optimize._highspy._core import HighsBasis, HighsBasisStatus, HighsModelStatus, kHighsInf

__all__ = ["Highs", "HighsBasis", "HighsBasisStatus", "HighsModelStatus", "kHighsInf"]


class Highs(_core._Highs):
    def changeRowsBounds(self, count, rows, lower, upper):
        for row, least, most in zip(rows[:count], lower, upper, strict=True):
            self.changeRowBounds(int(row), float(least), float(most))
