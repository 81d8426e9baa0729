"""The figures that panels draw on: of the right size, wiped, and never in two threads at once."""

import io
import threading

import numpy as np
from PIL import Image

from mcmteach.widgets.picture import kept_figure, png, still


def test_figures_have_the_size_they_were_asked_for():
    figure, axes = kept_figure(900, 300, columns=2)
    data = png(figure)
    assert len(axes) == 2
    assert [int.from_bytes(data[i : i + 4], "big") for i in (16, 20)] == [900, 300]


def test_a_figure_is_wiped_before_it_is_given_again():
    figure, ax = kept_figure(300, 200, left=0.2)
    blank = png(figure)
    ax.plot([1, 10], [3, 50], label="a line")
    ax.imshow([[1, 2], [3, 4]])
    ax.fill([0, 1, 1], [0, 0, 1])
    ax.scatter([1], [2])
    ax.text(0.5, 0.5, "words")
    ax.legend()
    ax.set(xscale="log", xlabel="x", ylabel="y", title="title", ylim=(5, 6))
    ax.set_box_aspect(1)
    ax.axis("off")
    figure.colorbar(ax.images[0], ax=ax)
    figure.add_axes((0.6, 0.6, 0.2, 0.2))
    assert png(figure) != blank
    again, axes = kept_figure(300, 200, left=0.2)
    assert again is figure and axes is ax and png(again) == blank
    assert kept_figure(300, 200)[0] is not figure


def test_each_thread_has_figures_of_its_own():
    mine, others = kept_figure(300, 200)[0], []
    thread = threading.Thread(target=lambda: others.append(kept_figure(300, 200)[0]))
    thread.start()
    thread.join()
    assert others[0] is not mine and kept_figure(300, 200)[0] is mine


def test_a_still_picture_is_the_picture_with_a_line_of_words_below_it():
    figure, ax = kept_figure(640, 300)
    ax.plot([1, 2])
    picture = png(figure)
    before, after = (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) for data in (picture, still(picture)))
    np.testing.assert_array_equal(after[:300], before)
    words = (after[300:] < 128).any(axis=(0, 2))
    assert after.shape[0] > 310 and words[:500].sum() > 200 and not words[600:].any()  # they fit into the width
