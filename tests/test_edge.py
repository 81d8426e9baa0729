"""``make edge``: the page is what the stored results say, and a program on an emulated chip answers as Python does."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from mcmteach import MCMClassifier, to_c
from mcmteach.experiments.edge import choices, edge_rows
from tools.edge import board, report, study
from tools.edge.board import BOARDS, EMPTY, Source, measure
from tools.edge.rivals import SETTINGS

needs_chip = pytest.mark.skipif(bool(board.missing_tools()), reason=f"for the chips: {board.INSTALL}")


def test_the_page_says_what_the_stored_results_say():
    rows = edge_rows()
    text = report.PAGE.read_text(encoding="utf-8")
    assert text == report.page(rows, choices()) + "\n", "python -m tools.edge.study --page"
    assert report.PICTURE.exists()
    first = rows[0]
    assert f"{100 * first.accuracy:.1f} ± {100 * first.half_width:.1f}" in text


def test_the_picture_has_a_place_for_each_set_and_a_mark_for_each_machine():
    rows = edge_rows()
    figure = report.picture(rows)
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles == list(dict.fromkeys(row.dataset for row in rows))
    assert all(len(ax.get_legend_handles_labels()[1]) == 7 for ax in figure.axes[: len(titles)])


@needs_chip
@pytest.mark.parametrize("core", BOARDS)
def test_a_chip_answers_as_python_does(core, tmp_path):
    X, y = make_moons(60, noise=0.2, random_state=0)
    X = X.astype(np.float32).astype(float)
    machine = MCMClassifier(gamma=1.0).fit(X, y)
    text = to_c(machine, exp="polynomial") + "int label(const float *x) { return machine_predict(x); }\n"
    found = measure(Source(text), X[:20], BOARDS[core], tmp_path)
    np.testing.assert_array_equal(found.labels, machine.predict(X[:20]))
    assert found.flash > 4 * 3 * machine.n_support_
    # a chip without a unit for floating-point numbers has to imitate each operation
    low, high = {"M0": (500, 50_000), "M4": (20, 2_000)}[core]
    assert low < found.instructions / machine.n_support_ < high
    empty = measure(Source(EMPTY), X[:20], BOARDS[core], tmp_path)
    assert empty.flash == 0 and 5 < empty.instructions < 40 and not empty.labels.any()


@needs_chip
def test_what_does_not_fit_is_told(tmp_path):
    large = "static const float t[100000] = {1};\nint label(const float *x) { return t[(int)x[0]] > 0; }\n"
    assert measure(Source(large), np.zeros((2, 1)), BOARDS["M0"], tmp_path) is None


def test_without_the_tools_it_is_skipped_with_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(board.shutil, "which", lambda name: None)
    assert study.main([]) == 0
    said = capsys.readouterr().err
    assert "make edge is skipped" in said and "apt-get install gcc-arm-none-eabi" in said


def test_a_stored_split_is_not_measured_again(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        study,
        "one_split",
        lambda name, split: asked.append((name, split)) or [{"set": name, "split": split, "settings": SETTINGS}],
    )
    (tmp_path / "r.jsonl").write_text('{"set": "sonar", "split": 0}\n')  # measured with shorter lists: once more
    for splits in (1, 2):
        study.run(["sonar"], splits, tmp_path / "r.jsonl")
    assert asked == [("sonar", 0), ("sonar", 1)]
