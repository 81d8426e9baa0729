"""docs/EDGE.md and its picture, from the stored results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from mcmteach import plots
from mcmteach.experiments.edge import CORES, Choices, EdgeRow, OnChip, choices, duel, edge_rows
from tools.edge.rivals import SETTINGS

ROOT = Path(__file__).parent.parent.parent
PAGE, PICTURE = ROOT / "docs" / "EDGE.md", ROOT / "docs" / "edge.svg"
SHOWN = ("ours", "emlearn")  # in the picture
RIVALS = {"SVC": "ours", "LP-SVM": "ours", "logistic regression": "ours", "MLP": "emlearn", "decision tree": "emlearn"}
INTRODUCTION = """\
# On a chip: who is small, who is right

`make edge` writes this page. Each machine is tuned in the same way inside the training part ({settings} settings, five
stratified folds; the certified MCM takes the setting with the smallest bound), on {splits} random splits, a quarter for
testing. It is written as C by us (`mcmteach.to_c`), m2cgen, micromlgen or emlearn, compiled with `arm-none-eabi-gcc -Os`, and
run in QEMU on two cores: a Cortex-M0 (no unit for floating-point numbers, 256 kB of flash) and a Cortex-M4 with one for single
precision.

- **accuracy**: mean over the splits, with a 95 % interval (Nadeau and Bengio's correction for splits that share samples).
- **bytes**: flash for code, constants and whatever of the C libraries they need, beyond a program that always answers 0.
- **instructions** per answer, not cycles; scaling of the inputs included. They and the bytes are those of the first splits.
- **agree**: labels that are the same as Python's, of 40 test samples a split.
- "ours" stores single precision and brings a polynomial for exp (relative error below 5e-7); "ours, int8" stores vectors and
  coefficients in 8 bits; "ours, expf" calls the library's expf, which computes in double precision.

![Accuracy against bytes of flash on the Cortex-M4, a panel for each data set](edge.svg)
"""


SHORTER = """
**Earlier lists.** These splits were measured with {settings} settings a machine, and the certified machine with an earlier
version of its code. `make edge` has lists of {now} settings today, lengthened at both ends for all machines alike. It measures
every split with them and puts them in the place of these once every set has six; until then, who is more accurate may change
with the lists.
"""


def page(rows: list[EdgeRow], tuned: dict[str, Choices]) -> str:
    """The page, as Markdown."""
    splits, settings = min(row.splits for row in rows), rows[0].settings
    parts = [INTRODUCTION.format(splits=splits, settings=settings), _verdict(rows), _tuning(tuned)]
    if settings < SETTINGS:
        parts.append(SHORTER.format(settings=settings, now=SETTINGS))
    for name in dict.fromkeys(row.dataset for row in rows):
        parts.append(_table(name, [row for row in rows if row.dataset == name]))
    return "\n".join(parts)


def _table(name: str, rows: list[EdgeRow]) -> str:
    head = (
        "| machine | by | accuracy, % | vectors | M0 bytes | M0 instructions | M4 bytes | M4 instructions | agree, % |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    lines = [f"\n## {name}\n", head, *map(_line, rows)]
    certified = next((row for row in rows if not np.isnan(row.bound)), None)
    if certified is not None:
        lines.append(
            f"\nThe certified machine's bound on its error, with 95 % confidence: {certified.bound:.1%} (mean)."
        )
    return "\n".join(lines)


def _line(row: EdgeRow) -> str:
    vectors = "–" if np.isnan(row.vectors) else f"{row.vectors:.0f}"
    chips = [_cells(row.chips[core]) for core in CORES]
    agree = [chip.agree for chip in row.chips.values() if chip is not None]
    share = f"{100 * min(agree):.1f}" if agree else "–"
    accuracy = f"{100 * row.accuracy:.1f} ± {100 * row.half_width:.1f}"
    return f"| {row.machine} | {row.exporter} | {accuracy} | {vectors} | {' | '.join(chips)} | {share} |"


def _cells(chip: OnChip | None) -> str:
    return "does not fit | –" if chip is None else f"{chip.flash:,.0f} | {chip.instructions:,.0f}"


def _verdict(rows: list[EdgeRow]) -> str:
    """What the tables say, in sentences whose numbers are computed."""
    wrong = max(1 - row.chips["M4"].agree for row in rows if row.exporter == "micromlgen" and row.chips["M4"])
    duels = {machine: duel(rows, machine, exporter) for machine, exporter in RIVALS.items()}
    lines = [
        "\n## What it says\n",
        f"On {duels['SVC'].sets} sets, the MCM as we export it in single precision against each rival:\n",
        "| rival | MCM is more accurate (mean) | beyond both intervals | MCM needs fewer bytes (M4) | rival's bytes / MCM's |",
        "|---|---|---|---|---|",
    ]
    for machine, d in duels.items():
        more, fewer = f"{d.more_accurate} of {d.sets}", f"{d.fewer_bytes} of {d.sets}"
        lines.append(f"| {machine} | {more} | {d.apart} | {fewer} | {d.bytes_ratio:.2f} |")
    lines.append(
        f"\nmicromlgen's code for an SVC with two classes has the wrong sign at its intercept under this scikit-learn: up to "
        f"{wrong:.0%} of the labels differ. In the {sum(d.sets for d in duels.values())} comparisons above, the intervals of "
        f"accuracy lie apart in {sum(d.apart for d in duels.values())}: who is smallest is decided long before who is best."
    )
    return "\n".join(lines)


def _tuning(tuned: dict[str, Choices]) -> str:
    """How often a choice was the end of its list."""
    if not tuned:
        return "\nHow often a chosen parameter lies at an end of its list was not counted on these splits."
    said = ", ".join(f"{machine} {choice.at_edge:.0%}" for machine, choice in tuned.items())
    splits = min((choice.splits for choice in tuned.values()), default=0)
    late = {machine: choice.unfinished for machine, choice in tuned.items() if choice.unfinished}
    stopped = ", ".join(f"{machine} {share:.0%}" for machine, share in late.items())
    return (
        f"\nChosen parameters that lie at an end of their list, on {splits} splits of all sets together: {said}. The lists "
        "have three to twelve entries, so where many choices lie at an end a longer list might find a better machine. Chosen "
        f"machines whose training stopped at its limit of iterations: {stopped or 'none'}."
    )


def picture(rows: list[EdgeRow]) -> Any:
    """Error against flash bytes on the Cortex-M4, an axes for each set; the last place has the legend."""
    sets = list(dict.fromkeys(row.dataset for row in rows))
    figure, grid = plt.subplots(2, -(-(len(sets) + 1) // 2), figsize=(11, 6.4), layout="constrained")
    axes = list(grid.ravel())
    for name, ax in zip(sets, axes, strict=False):
        plots.plot_sizes(
            {
                row.machine: (row.chips["M4"].flash, 1 - row.accuracy, row.half_width)
                for row in rows
                if row.dataset == name and row.exporter in SHOWN and row.chips["M4"] is not None
            },
            {},
            ax,
        )
        ax.set(title=name, xlabel="flash (bytes)", ylabel="test error", xlim=(50, 60_000))
        handles, labels = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    for ax in axes[len(sets) :]:
        ax.axis("off")
    axes[len(sets)].legend(handles, labels, loc="center", frameon=False)
    return figure


def write() -> None:
    """The page and the picture."""
    rows = edge_rows()
    PAGE.write_text(page(rows, choices()) + "\n", encoding="utf-8")
    with plt.rc_context({"svg.hashsalt": "mcmteach"}):
        figure = picture(rows)
        figure.savefig(PICTURE, metadata={"Date": None})
        plt.close(figure)
