"""The paper's Figure 1 by what is in it. Figure 2 is drawn in tests/paper/test_figure2.py, where its numbers are."""

import matplotlib.pyplot as plt

from mcmteach import plots


def test_figure_1_shows_both_ways_in_their_order():
    ax = plots.plot_training_flow()
    ax.figure.canvas.draw()
    middle = lambda text: text.get_window_extent().get_points().mean(axis=0)  # noqa: E731
    texts = {text.get_text().split(" · ")[-1].replace("\n", " "): middle(text) for text in ax.texts if text.get_text()}
    left = ["take C, γ", "MCM on $k_0$", "cores = all", "scatter", "largest J", "$c = ", "MCM on $k$", "predict"]
    right = ["tune C", "large-scale MCM on $k_0$", "cores = support", "predict"]
    for way in (left, right):
        heights = [next(place[1] for text, place in texts.items() if text.startswith(start)) for start in way]
        assert heights == sorted(heights, reverse=True)
    assert sum("keep the best" in text for text in texts) == 2
    _, own = plt.subplots()
    assert plots.plot_training_flow(own) is own
