"""What the held-out half of the benchmark says: a table, the README's figures, and the picture of accuracy against size.

The rows are kept in ``held_out.jsonl``; ``python -m tools.bench.held_out --report --write`` brings them and README up to date.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from mcmteach.certificate import GAP
from mcmteach.experiments.comparisons import undominated
from tools.bench.cases import HELD_OUT
from tools.ledger import ROOT

ROWS = Path(__file__).parent / "held_out.jsonl"
NOT_BUNDLED = Path(__file__).parent / "not_bundled.jsonl"  # of the sets that --data reads, on a page of their own
PICTURE = ROOT / "docs" / "held_out.png"
PAGE, EARNEST = ROOT / "README.md", ROOT / "docs" / "IN_EARNEST.md"
BLOCK = re.compile(r"(<!-- held-out: .*? -->\n).*?(<!-- /held-out -->)", re.S)
LARGE = 3000
UNSEEN = ("checkerboard", "spirals", "islands", "masks")  # no relative of these helped to choose the default parameters
CLOSE = 0.01  # accuracies that differ by less count as equal

Row = dict[str, Any]


def stored(path: Path = ROWS) -> list[Row]:
    """The rows that a page speaks of, one per case."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def geometric(values: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(values)))) if values else float("nan")


def ratios(rows: list[Row], one: str, other: str, what: str) -> dict[str, float]:
    """one / other on all cases that have both; a time of 0 was too short to be measured, and no vectors count as one."""
    least = 1 if what == "vectors" else 0
    pairs = {r["case"]: [max(r["chosen"].get(m, {}).get(what, 0), least) for m in (one, other)] for r in rows}
    return {case: a / b for case, (a, b) in pairs.items() if a > 0 and b > 0}


def comparison(rows: list[Row]) -> list[str]:
    """The MCM against the SVC, as a table."""
    tuned, default = (_against(rows, *pair) for pair in (("mcm", "svc"), ("mcm default", "svc default")))
    lines = ["| MCM against scikit-learn's SVC | chosen by three folds | default parameters |", "|---|---|---|"]
    lines += [f"| {label} | {tuned[label]} | {default[label]} |" for label in tuned]
    gaps = [r["chosen"][k].get("gap", np.inf) for r in rows for k in ("mcm", "mcm default")]
    proved = sum(gap <= GAP for gap in gaps)
    return [
        *lines,
        "",
        f"{proved} of {len(gaps)} fits are proved optimal; the largest relative gap is {max(gaps):.0e}.",
    ]


def _against(rows: list[Row], ours: str, theirs: str) -> dict[str, str]:
    fit = ratios(rows, ours, theirs, "fit")
    large = [fit[r["case"]] for r in rows if r["M"] >= LARGE and r["case"] in fit]
    fewer, faster = (list(ratios(rows, theirs, ours, what).values()) for what in ("vectors", "predict"))
    both = [r for r in rows if r["case"] in fit]
    points = {r["case"]: 100 * (r["chosen"][ours]["accuracy"] - r["chosen"][theirs]["accuracy"]) for r in both}
    unseen = [value for case, value in points.items() if case.startswith(UNSEEN)]
    slowest, gained = max(fit, key=fit.__getitem__), list(points.values())
    worst, best = min(points, key=points.__getitem__), max(points, key=points.__getitem__)
    found = {
        f"time of a fit, ours / SVC's, geometric mean of {len(fit)} cases": (
            f"{geometric(list(fit.values())):.1f} (worst {fit[slowest]:.1f}, {slowest})"
        ),
        f"the same from {LARGE} samples on, {len(large)} cases": f"{geometric(large):.1f} (worst {max(large, default=0):.1f})",
        "support vectors, SVC's / ours, median": f"{np.median(fewer):.1f}",
        "time of a prediction, SVC's / ours, geometric mean": f"{geometric(faster):.1f} ({len(faster)} cases)",
        "accuracy, ours - SVC's, points": (
            f"{np.mean(gained):+.1f} (median {np.median(gained):+.1f}; worst {points[worst]:+.1f}, {worst}; "
            f"best {points[best]:+.1f}, {best})"
        ),
    }
    if unseen:
        found[f"the same on {len(unseen)} cases unlike those that the defaults were chosen on"] = (
            f"{np.mean(unseen):+.1f}"
        )
    return found


def swept(rows: list[Row]) -> list[Row]:
    """The cases on which every machine was tried with every value of its knob."""
    return [r for r in rows if len(r["sweep"]) > len(r["chosen"])]


def front(row: Row) -> list[dict[str, Any]]:
    """The points of a case that no other beats: more accuracy with as few vectors, or fewer vectors with as much accuracy."""
    points = [p for p in row["sweep"] if "vectors" in p]
    best = undominated([(p["accuracy"], -p["vectors"]) for p in points])
    return [p for p, is_best in zip(points, best, strict=True) if is_best]


def leaders(rows: list[Row]) -> list[str]:
    """Which machine is the smallest of those that are within a point of a case's best accuracy."""
    cases: dict[str, list[str]] = {}
    for r in swept(rows):
        points = [p for p in r["sweep"] if "vectors" in p]
        best = max(p["accuracy"] for p in points)
        fewest = min(p["vectors"] for p in points if p["accuracy"] > best - CLOSE)
        for name in {p["machine"] for p in points if p["accuracy"] > best - CLOSE and p["vectors"] == fewest}:
            cases.setdefault(name, []).append(f"{r['case']} ({fewest})")  # two machines of the same size both lead
    on_front = [p["machine"] for r in swept(rows) for p in front(r)]
    names = sorted(set(on_front) | set(cases), key=lambda name: (-len(cases.get(name, [])), name))
    return [
        f"| smallest machine within a point of the best, {len(swept(rows))} cases | where (vectors) | points on the front |",
        "|---|---|---|",
        *(
            f"| {name} | {', '.join(cases.get(name, ['–']))} | {on_front.count(name)} of {len(on_front)} |"
            for name in names
        ),
    ]


def table(rows: list[Row]) -> list[str]:
    """One line per case and machine."""
    lines = [f"{'case':26}{'M':>6} {'machine':20}{'fit s':>9}{'vectors':>8}{'acc %':>7}{'gap':>8}"]
    for r in rows:
        every = r["chosen"] | ({"mcm before": r["before"]} if "before" in r else {})
        for name, m in every.items():
            label = f"{r['case']:26}{r['M']:>6} {name:20}"
            if "error" in m:
                lines.append(f"{label} {m['error']}")
                continue
            size = f"{m['vectors']:>8}{100 * m['accuracy']:7.1f}" if "vectors" in m else " " * 15
            lines.append(f"{label}{m['fit']:9.4f}{size}" + (f"{m['gap']:8.0e}" if "gap" in m else ""))
    return lines


def block(rows: list[Row]) -> str:
    """What stands in the README between its two marks."""
    run = f"{len(rows)} of the {len(HELD_OUT)} cases have been run, {len(swept(rows))} of them with all machines."
    return "\n".join([run, "", *comparison(rows), "", *leaders(rows)]) + "\n"


def not_bundled(rows: list[Row]) -> str:
    """What stands in Using it in earnest between its two marks."""
    return "\n".join([f"They are {', '.join(r['case'] for r in rows)}.", "", *comparison(rows)]) + "\n"


def write(rows: list[Row], extra: list[Row]) -> None:
    """Rows, pages and picture, as they are now. Without ``extra`` rows, of sets that are not bundled, theirs stay."""
    for found, path in ((rows, ROWS), (extra or stored(NOT_BUNDLED), NOT_BUNDLED)):
        path.write_text("".join(json.dumps(_short(row)) + "\n" for row in found), encoding="utf-8")
    for page, text in ((PAGE, block(stored())), (EARNEST, not_bundled(stored(NOT_BUNDLED)))):
        before = page.read_text(encoding="utf-8")
        page.write_text(BLOCK.sub(lambda m, text=text: m[1] + text + m[2], before), encoding="utf-8")
    picture(stored(), PICTURE)


def _short(value: Any) -> Any:
    """The same with four digits."""
    if isinstance(value, dict):
        return {k: _short(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_short(v) for v in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def picture(rows: list[Row], path: Path) -> None:
    """Accuracy against vectors: each machine's mean over the cases, at each value of its knob."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = swept(rows)
    best = {r["case"]: max(p["accuracy"] for p in r["sweep"] if "accuracy" in p) for r in rows}
    points: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for r in rows:
        for q in r["sweep"]:
            if "vectors" in q:
                share = max(q["vectors"] / r["M"], 1e-3)
                points.setdefault((q["machine"], q["knob"]), []).append(
                    (share, 100 * (q["accuracy"] - best[r["case"]]))
                )
    fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name, marker in zip(dict.fromkeys(machine for machine, _ in points), "os^DvPX", strict=False):
        # a value that was chosen on a few cases only, and drawn on no other, would be a mean over other cases than the rest
        found = [np.array(points[key]).T for key in points if key[0] == name and 2 * len(points[key]) > len(rows)]
        line = sorted((geometric(share.tolist()), float(short.mean())) for share, short in found)
        ax.plot(*np.array(line).T, marker=marker, label=name)
    ax.set_xscale("log")
    ax.set_xlabel("vectors kept, share of the training samples (geometric mean)")
    ax.set_ylabel("accuracy below the case's best (mean, points)")
    ax.set_title(f"Accuracy against size on {len(rows)} held-out cases")
    ax.legend(fontsize=8)
    fig.savefig(path, dpi=100)
