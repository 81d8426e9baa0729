"""Mutants that no test can notice, because they compute the same: by module, function and slip, with the reason."""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "fisher",
        "scatter_matrices",
        "blocks = np.where(np.equal.outer(y, y), K / M_own[:, None], 0.0)  ->  "
        "blocks = np.where(np.equal.outer(y, y), K / M_own[None, :], 0.0)",
    ): "where two samples are of one class, their classes have one size",
    (
        "fisher",
        "_deviations",
        "centre = np.where(y[:, None] < 0, Z[y < 0].mean(axis=0), Z[y > 0].mean(axis=0))  ->  "
        "centre = np.where(y[:, None] < 0, Z[y < 0].mean(axis=0), Z[y > -1].mean(axis=0))",
    ): "labels are -1 and +1",
    (
        "bounds",
        "margin_error_scale",
        "if np.any(margin <= 0):  ->  if np.any(margin == 0):",
    ): "_in_range has refused what is below 0",
    (
        "bounds",
        "margin_vc_dim",
        "R, margin, n = (_in_range(R, 'R', 0), _in_range(margin, 'margin', 0), _in_range(n, 'n', 1))  ->  "
        "R, margin, n = (_in_range(R, 'R', 0), _in_range(margin, 'margin', -1), _in_range(n, 'n', 1))",
    ): "a margin below 0 is refused by the next line",
    (
        "bounds",
        "_growth",
        "return h + xlogy(h, 2 * M / np.where(h == 0, 1, h))  ->  return h + xlogy(h, 2 * M / np.where(h <= 0, 1, h))",
    ): "_in_range has refused an h below 0",
}
