"""Pictures. Every function draws into ``ax`` (a new one where it is None) and returns it.

A class has its own colour and its own marker, blue circles for -1 and vermilion triangles for +1, so that nobody needs
to tell the colours apart; margins are dashed, the boundary is solid, support vectors are ringed.
"""

from mcmteach.plots.bending import (
    SQUARE,
    plot_boundary,
    plot_line_map,
    plot_magnification,
    plot_polar_map,
    plot_sheet,
    plot_small_circles,
)
from mcmteach.plots.canvas import (
    BLACK,
    BLUE,
    CLASS_STYLES,
    CURVES,
    GREY,
    SUPERSCRIPT,
    VERMILION,
)
from mcmteach.plots.cap import plot_cap
from mcmteach.plots.capacity import (
    plot_best_angles,
    plot_capacity_angles,
    plot_chain,
    plot_number_line,
    plot_radius_margin,
    plot_two_ways,
)
from mcmteach.plots.comparison import (
    plot_critical_difference,
    plot_differences,
    plot_expected_best,
    plot_gains,
    plot_pareto,
    plot_peeped,
    plot_reshuffles,
    plot_signed_ranks,
)
from mcmteach.plots.conformal_machine import plot_conformal_machine, plot_factor_values
from mcmteach.plots.description import alt_text, tell_jupyter
from mcmteach.plots.gram import plot_gram, plot_spectrum
from mcmteach.plots.guarantee import plot_bound_by_size, plot_guarantees, plot_message
from mcmteach.plots.kernel_pictures import plot_lift, plot_similarity
from mcmteach.plots.large_scale import (
    plot_approximation,
    plot_convergence,
    plot_learning,
    plot_map_errors,
)
from mcmteach.plots.network import plot_graphlets, plot_heat, plot_network
from mcmteach.plots.paper_figures import plot_embeddings, plot_training_flow
from mcmteach.plots.path import plot_path
from mcmteach.plots.perceptron import plot_novikoff, plot_perceptron
from mcmteach.plots.planes import plot_decision, plot_hyperplane, plot_margin, plot_points, plot_support
from mcmteach.plots.programme import (
    RIVALS,
    plot_capped_hinge,
    plot_feasible_region,
    plot_programme,
    plot_rivals,
    plot_spread,
    plot_two_variables,
)
from mcmteach.plots.separability import (
    plot_ascent,
    plot_class_scatter,
    plot_factor,
    plot_feature_plane,
    plot_fisher_gamma,
    plot_fisher_widths,
)
from mcmteach.plots.small_devices import plot_bits, plot_sizes
from mcmteach.plots.soft_margin import plot_descent, plot_losses, plot_slack, plot_valley
from mcmteach.plots.theory import plot_colouring, plot_risks, plot_shattering, plot_timeline, plot_vc_bound
from mcmteach.plots.tube import plot_switch, plot_tube, plot_two_classes

tell_jupyter()
