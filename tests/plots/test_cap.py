"""The figures of mcmteach.plots.cap by what is in them: artists, levels, labels."""

import numpy as np

from mcmteach import plots


def test_cap_shows_every_margin_in_order_and_the_slack_below_one():
    f, y = np.array([2.0, -0.5, 1.0, -3.0]), np.array([1.0, 1.0, -1.0, -1.0])  # y f = 2, -0.5, -1, 3
    ax = plots.plot_cap(f, y, h=3.0)
    cap, one, minus, plus = ax.lines
    assert set(cap.get_ydata()) == {3.0} and set(one.get_ydata()) == {1.0}
    assert minus.get_xdata().tolist() == [1, 4] and plus.get_xdata().tolist() == [2, 3]
    np.testing.assert_allclose(minus.get_ydata(), [-1, 3])
    np.testing.assert_allclose(plus.get_ydata(), [-0.5, 2])
    assert minus.get_marker() != plus.get_marker()
    (slack,) = ax.collections
    lengths = [abs(segment[0, 1] - segment[1, 1]) for segment in slack.get_segments()]
    np.testing.assert_allclose(lengths, [2, 1.5, 0, 0])
