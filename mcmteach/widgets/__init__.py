"""The panels of the lessons, a module for each lesson: a function that draws a state, and one that builds the panel."""

from mcmteach.widgets.a_linear_programme import draw_programme, programme_panel
from mcmteach.widgets.bending_space import draw_magnification, magnification_panel
from mcmteach.widgets.conformal_mcm import conformal_mcm_panel, draw_conformal_mcm
from mcmteach.widgets.does_it_work import draw_peeping, peeping_panel
from mcmteach.widgets.kernel_mcm import draw_kernel_mcm, kernel_mcm_panel
from mcmteach.widgets.kernels import draw_kernel, kernel_panel
from mcmteach.widgets.large_scale import descent_panel, draw_descent, draw_large_scale, large_scale_panel
from mcmteach.widgets.measuring_separability import draw_separability, separability_panel
from mcmteach.widgets.not_vectors import draw_heat, heat_panel
from mcmteach.widgets.numbers_instead_of_classes import draw_regression, regression_panel
from mcmteach.widgets.radius_over_margin import capacity_panel, draw_capacity
from mcmteach.widgets.small_devices import draw_short, short_numbers_panel
from mcmteach.widgets.small_proves_something import draw_guarantee, guarantee_panel
from mcmteach.widgets.soft_margin import draw_soft_margin, soft_margin_panel
from mcmteach.widgets.which_hyperplane import draw_hyperplane, draw_perceptron, hyperplane_panel, perceptron_panel
from mcmteach.widgets.why_learning_works import POINTS, bound_panel, draw_bound, draw_shattering, shattering_panel
