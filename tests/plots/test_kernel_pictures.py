"""What a kernel does, drawn: the lifted points lie on either side of the plane, the landscape is the kernel's."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mcmteach import plots
from mcmteach.datasets.worlds import ring_points
from mcmteach.kernels import RBF, Linear


def test_the_plane_cuts_between_the_lifted_classes(monkeypatch):
    X, y = ring_points(60, seed=0)
    axes, drawn = plt.figure().add_subplot(projection="3d"), []
    monkeypatch.setattr(axes, "plot_surface", lambda *corners, **style: drawn.append(corners))
    assert plots.plot_lift(X, y, 0.85**2, axes) is axes
    ((across, along, _),) = drawn
    np.testing.assert_allclose(across + along, 0.85**2)
    minus, plus = axes.collections
    for points, label in ((minus, -1), (plus, 1)):
        a, b, c = np.array(points._offsets3d)
        np.testing.assert_allclose(np.c_[a, b], X[y == label] ** 2)
        np.testing.assert_allclose(c, np.sqrt(2) * X[y == label].prod(axis=1))
        assert len(set(a + b > 0.85**2)) == 1, "all on one side"
    inside, outside = (np.array(points._offsets3d)[:2].sum(axis=0) > 0.85**2 for points in (minus, plus))
    assert inside.all() != outside.all()


@pytest.mark.parametrize(("kernel", "shade"), [(RBF(2.0), "Blues"), (Linear(), "BrBG")])
def test_the_landscape_is_the_kernel_and_brown_only_where_it_is_negative(kernel, shade):
    ax = plots.plot_similarity(kernel, [0.5, 0.25], [[-1, -1], [1, 1]])
    (image,) = ax.images
    values, (left, right, low, high) = np.asarray(image.get_array()), image.get_extent()
    grid = np.stack(np.meshgrid(np.linspace(left, right, len(values)), np.linspace(low, high, len(values))), axis=-1)
    np.testing.assert_allclose(values.ravel(), kernel(grid.reshape(-1, 2), np.array([[0.5, 0.25]]))[:, 0])
    assert image.get_cmap().name == shade and image.norm.vmax == pytest.approx(np.abs(values).max())
    assert any(np.allclose(marks.get_offsets(), [[0.5, 0.25]]) for marks in ax.collections), "the point is marked"
