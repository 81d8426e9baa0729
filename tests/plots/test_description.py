"""Figures in words: what a cell shows carries what the plotting functions say of it."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats

import mcmteach as mt
from mcmteach import plots
from mcmteach.plots.description import tell_jupyter

PLOTS = [drawn for name, drawn in vars(plots).items() if name.startswith("plot_")]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
def test_every_plotting_function_describes_what_it_draws_in_plain_words(plot):
    line = inspect.getdoc(plot).split("\n")[0]
    assert plot.__wrapped__.__doc__ == plot.__doc__, "it is @described"
    assert len(line) > 40 and line.endswith(".") and "\\(" not in line and ":func:" not in line
    assert "``" not in line, "who reads the picture knows no argument by its name"


def test_a_description_says_what_was_drawn_and_what_is_written_on_it(moons):
    X, y = moons
    figure, (left, right) = plt.subplots(1, 2)
    plots.plot_decision(mt.MCMClassifier(gamma=1.0).fit(X, y), X, y, left, names=["upper", "lower"])
    left.set(title="a machine", xlabel="$x_1$")
    left.legend()
    for b in (0.0, 1.0):
        plots.plot_hyperplane(np.ones(2), b, right)
    text = plots.alt_text(figure)
    assert text.startswith("a machine. A fitted machine's regions, boundary (solid)")
    assert "Across: x_1. " in text and "Legend: upper, lower, " in text
    assert "each class with its own colour" not in text, "what a function draws by way of another one is not said twice"
    assert text.count("The line w·x + b = 0 across the picture") == 1 and text.endswith(".")
    assert plots.alt_text(plt.figure()) == ""


def test_signs_of_tex_are_read_out_as_letters():
    figure, ax = plt.subplots()
    ax.set(xlabel=r"$c(x)\,\cos x$", ylabel=r"$\varphi(x)$", title=r"error $1/\sqrt{D}$")
    assert plots.alt_text(figure) == "error 1/√D. Across: c(x) cos x. Upwards: φ(x)."


def test_a_figure_that_a_cell_shows_carries_its_description():
    shell = InteractiveShell.instance()
    try:
        select_figure_formats(shell, {"png"})
        tell_jupyter()
        ax = plots.plot_losses()
        data, metadata = shell.display_formatter.format(ax.figure)
    finally:
        InteractiveShell.clear_instance()
    assert data["image/png"] and metadata["image/png"] == {"alt": plots.alt_text(ax.figure)}
    assert "What a point pays against y f" in metadata["image/png"]["alt"]
