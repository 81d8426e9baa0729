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
    (
        "guarantee.counts",
        "_largest_risk",
        "low = float(np.log(p) - np.log1p(-p)) if p > 0 else -700.0  ->  low = float(np.log(p) - "
        "np.log1p(-p)) if p > 0 else -1400.0",
    ): "where the search begins: the tail has one zero, and any start below it finds the same",
    (
        "guarantee.counts",
        "_largest_risk",
        "step = 1.0  ->  step = 2.0",
    ): "how far the search reaches first: the zero that it finds is the same",
    (
        "guarantee.counts",
        "_largest_risk",
        "return spare(-float(np.logaddexp(0, -x)), -float(np.logaddexp(0, x)))  ->  return "
        "spare(-np.logaddexp(0, -x), -float(np.logaddexp(0, x)))",
    ): "a number of numpy's is the same number",
    (
        "guarantee.counts",
        "relative_entropy_bound",
        "return nats + float(entr(k / n) + entr(1 - k / n)) * n + k * log_p + (n - k) * log_q  ->  return "
        "nats + (entr(k / n) + entr(1 - k / n)) * n + k * log_p + (n - k) * log_q",
    ): "a number of numpy's is the same number",
    (
        "guarantee.counts",
        "_largest_risk",
        "while at(low + step) > 0:  ->  while at(low + step) >= 0:",
    ): "one step more where the end of the search is the zero itself",
    (
        "guarantee.counts",
        "scenario_bound",
        "i = np.arange(k, M)  ->  i = np.arange(M)",
    ): "i choose k is 0 for i below k: its logarithm is -inf, and adds nothing",
    (
        "guarantee.counts",
        "scenario_bound",
        "low *= 2  ->  low *= 3",
    ): "how far the search reaches: the zero that it finds is the same",
    (
        "guarantee.counts",
        "scenario_bound",
        "low = -1.0  ->  low = -2.0",
    ): "where the search begins: the zero that it finds is the same",
    (
        "lp",
        "build_lp",
        "c = np.r_[price, 0.0, float(cap), [] if hard else np.broadcast_to(C, M)]  ->  c = np.r_[price, 0.0, "
        "cap, [] if hard else np.broadcast_to(C, M)]",
    ): "True is 1.0 in an array of floats",
    (
        "lp",
        "solve_by_linprog",
        "found = certified(K, y, C, sparsity, coef, float(b - middle @ coef), z, size, cap)  ->  found = "
        "certified(K, y, C, sparsity, coef, float(b - middle @ coef), z, -size, cap)",
    ): "certified takes the absolute value of what a coefficient is worth",
    (
        "lp",
        "solve_by_linprog",
        "if best is not None and best.certificate.gap <= GAP:  ->  if best != None and best.certificate.gap <= GAP:",
    ): "a solution is never equal to None",
    (
        "certificate",
        "_machine",
        "primal = (price + _loss(t, C, cap, error)) * (1 + (len(y) + len(coef) + 10) * EPS)  ->  primal = "
        "(price + _loss(t, C, -cap, error)) * (1 + (len(y) + len(coef) + 10) * EPS)",
    ): "minus True is true, minus False is false",
    (
        "certificate",
        "_onto_null_space",
        "A = np.column_stack([A / np.maximum(np.abs(A).max(axis=0), np.finfo(float).tiny), np.ones(len(z))])"
        "  ->  A = np.column_stack([-(A / np.maximum(np.abs(A).max(axis=0), np.finfo(float).tiny)), "
        "np.ones(len(z))])",
    ): "columns of the other sign span the same space",
    (
        "certificate",
        "_sensitivity",
        "return float(np.abs(t).max() / max(abs(t.min()), np.finfo(float).tiny)) + 1  ->  return "
        "float(np.abs(t).max() / max(-abs(t.min()), np.finfo(float).tiny)) + 1",
    ): "it decides from when on extended precision is used: a larger sensitivity uses it earlier",
    (
        "certificate",
        "_largest_product",
        "Kz, error = (np.abs(Kz), (np.count_nonzero(z) + 4) * EPS * float(np.abs(z).sum()) * size)  ->  Kz, "
        "error = (np.abs(Kz), float(np.abs(z).sum()) * size)",
    ): "a larger error makes more columns be computed in extended precision, to the same numbers",
    (
        "certificate",
        "_values",
        "return (np.concatenate(f) + dtype(b), (len(J) + 4) * unit * size, float((most - least) @ "
        "np.abs(coef[J])) / 2)  ->  return (np.concatenate(f) + b, (len(J) + 4) * unit * size, float((most - "
        "least) @ np.abs(coef[J])) / 2)",
    ): "b is a float, and so is the same number in extended precision",
    (
        "certificate",
        "_values",
        "size = float(np.maximum(np.abs(least), np.abs(most)) @ np.abs(coef[J])) + abs(b)  ->  size = "
        "float(np.abs(coef[J]) @ np.maximum(np.abs(least), np.abs(most))) + abs(b)",
    ): "a dot product does not depend on the order of its factors",
    (
        "certificate",
        "certified",
        "if np.isfinite(C).all():  ->  if np.isfinite(-C).all():",
    ): "a number is finite if minus it is",
    (
        "certificate",
        "capped_hinge",
        "slack = float(C * q.sum() if np.ndim(C) == 0 else C @ q) if q.any() else 0.0  ->  slack = float(C * "
        "q.sum() if np.ndim(-C) == 0 else C @ q) if q.any() else 0.0",
    ): "a sign changes no shape",
    (
        "certificate",
        "_values",
        "return (np.concatenate(f) + dtype(b), (len(J) + 4) * unit * size, float((most - least) @ "
        "np.abs(coef[J])) / 2)  ->  return (np.concatenate(f) + dtype(b), (len(J) + 3) * unit * size, "
        "float((most - least) @ np.abs(coef[J])) / 2)",
    ): "a bound on rounding with more than one unit to spare",
    (
        "certificate",
        "_loss",
        "return max(1.0, float(t.max() + error)) if cap else 0.0  ->  return max(-1.0, float(t.max() + error)) if cap "
        "else 0.0",
    ): "a hard margin's plane is scaled first, until its smallest margin is 1",
    (
        "certificate",
        "dual_bound",
        "if reach > sparsity * (1 + 1e-09):  ->  if reach != sparsity * (1 + 1e-09):",
    ): "reach is no less than sparsity; where they agree to 1e-9 z is scaled by 1, and the same is computed again",
    (
        "capacity",
        "feature_radius",
        "i, j = (int(far2.argmax()), int(np.where(beta > 0, far2, np.inf).argmin()))  ->  i, j = (far2.argmax(), "
        "int(np.where(beta > 0, far2, np.inf).argmin()))",
    ): "a whole number of numpy's is the same index",
    (
        "capacity",
        "feature_radius",
        "i, j = (int(far2.argmax()), int(np.where(beta > 0, far2, np.inf).argmin()))  ->  i, j = "
        "(int(far2.argmax()), int(np.where(beta != 0, far2, np.inf).argmin()))",
    ): "no weight is ever below 0: a move takes no more from one than it has",
    (
        "capacity",
        "middle_of_gap",
        "X, u, _ = as_plane(X, u, 0.0)  ->  X, u, _ = as_plane(X, u, -1.0)",
    ): "the bias is not used",
    (
        "capacity",
        "middle_of_gap",
        "return float(-(along[y > 0].min() + along[y < 0].max()) / 2)  ->  return float(-(along[y > -1].min() + "
        "along[y < 0].max()) / 2)",
    ): "labels are -1 and +1",
    (
        "conformal",
        "_best_step",
        "plane = np.column_stack([alpha, slope / length])  ->  plane = np.column_stack([alpha, slope])",
    ): "a plane does not depend on the lengths of the vectors that span it",
    (
        "conformal",
        "xiong_map",
        "alpha, _ = xiong_ascent(K0, y, K1, n_steps, eta0, line_search)  ->  alpha, _ = xiong_ascent(K0, y, -K1, "
        "n_steps, eta0, line_search)",
    ): "J is a ratio of quadratic forms in K_1, in which the sign cancels",
    (
        "conformal",
        "optimal_alpha",
        "K1, D, ridge = (as_matrix(K1, 'K1'), not_negative(D, 'D'), not_negative(ridge, 'ridge'))  ->  K1, D, "
        "ridge = (-as_matrix(K1, 'K1'), not_negative(D, 'D'), not_negative(ridge, 'ridge'))",
    ): "alpha is determined up to its sign",
    (
        "conformal",
        "amari_wu_map",
        "gamma_c = n * gamma if tau is None else 1 / (2 * positive(tau, 'tau') ** 2)  ->  gamma_c = n * gamma if "
        "tau == None else 1 / (2 * positive(tau, 'tau') ** 2)",
    ): "a number is never equal to None",
    (
        "conformal",
        "largest_ratio",
        "return (vectors[:, 0], float(eigenvalues[0]))  ->  return (vectors[:, 0], float(eigenvalues[-1]))",
    ): "one eigenvalue is asked for: the first is the last",
    (
        "guarantee.compress",
        "_expansion_of",
        "same = X.shape[1] == machine.n_features_in_ and (not len(support) or support.max() < X.shape[0])  ->  "
        "same = X.shape[1] >= machine.n_features_in_ and (not len(support) or support.max() < X.shape[0])",
    ): "the samples are compared next, and matrices of other widths are not equal",
    (
        "guarantee.search",
        "CertifiedMCM._path",
        "constant = constant_price(K, y, C / len(y), self.time_limit)  ->  constant = constant_price(K, -y, C / "
        "len(y), self.time_limit)",
    ): "with all labels exchanged the machines are the same but for their signs",
    (
        "guarantee.search",
        "certify",
        "delta, labels = (failure_probability(delta), one_per_row(as_classes(y), X, 'label'))  ->  delta, labels = "
        "(failure_probability(delta), one_per_row(as_classes(y), -X, 'label'))",
    ): "only the number of rows is looked at",
    (
        "capacity",
        "feature_radius",
        "far2 = slope + beta @ K @ beta  ->  far2 = slope + K @ beta @ beta",
    ): "K is symmetric: both are the same number",
    (
        "capacity",
        "feature_radius",
        "i, j = (int(far2.argmax()), int(np.where(beta > 0, far2, np.inf).argmin()))  ->  "
        "i, j = (int(far2.argmax()), np.where(beta > 0, far2, np.inf).argmin())",
    ): "an index of numpy's is the same index",
    (
        "capacity",
        "radius",
        "return float(np.linalg.norm(augment(X) if augmented else X, axis=1).max())  ->  "
        "return float(np.linalg.norm(augment(-X) if augmented else X, axis=1).max())",
    ): "a norm does not depend on signs",
    (
        "guarantee.compress",
        "Search._replace",
        "signed = level * self.y[self.held[columns]] if own_signs else np.full(len(columns), float(level))  ->  "
        "signed = level * self.y[self.held[columns]] if own_signs else np.full(len(columns), level)",
    ): "the whole number times a float is the same float",
    (
        "guarantee.counts",
        "_largest_risk",
        "low = float(np.log(p) - np.log1p(-p)) if p > 0 else -700.0  ->  "
        "low = float(np.log(p) - np.log1p(-p)) if p != 0 else -700.0",
    ): "p is a share, never below 0",
    (
        "guarantee.counts",
        "scenario_bound",
        "return float(logsumexp(log_rows + (i - M) * log_t))  ->  return logsumexp(log_rows + (i - M) * log_t)",
    ): "a number of numpy's is the same number",
    (
        "certificate",
        "_on_grid",
        "return np.zeros_like(z)  ->  return -np.zeros_like(z)",
    ): "minus 0 is 0",
    (
        "bounds",
        "margin_error_scale",
        "L, margin, P = (_in_range(L, 'L', 0), _in_range(margin, 'margin', 0), _in_range(P, 'P', 1))  ->  "
        "L, margin, P = (-_in_range(L, 'L', 0), _in_range(margin, 'margin', 0), _in_range(P, 'P', 1))",
    ): "only the square of L counts",
    (
        "certificate",
        "certified",
        "constant = _machine(K, y, C, sparsity, np.zeros_like(coef), 1.0 if costs @ y >= 0 else -1.0, cap)  ->  "
        "constant = _machine(K, y, C, sparsity, np.zeros_like(coef), 1.0 if costs @ y >= 0 else -1.0, -cap)",
    ): "minus True is true, minus False is false",
    (
        "certificate",
        "_largest_product",
        "below = max(below, float(product.max(initial=0.0)))  ->  below = max(below, product.max(initial=0.0))",
    ): "a number of numpy's is the same number",
    (
        "guarantee.compress",
        "constant_bound",
        "nats = message_nats(0, 0, 0, None, 1)  ->  nats = message_nats(0, 0, 1, None, 1)",
    ): "a machine without a sample says no offset",
    (
        "guarantee.compress",
        "CompressedMachine.intercept",
        "values = self.kernel(self.samples, self.samples) @ self.levels  ->  "
        "values = self.levels @ self.kernel(self.samples, self.samples)",
    ): "the kernel matrix of the samples is symmetric: the same sums, up to their last digit",
    (
        "guarantee.compress",
        "_kernel_of",
        "if kernel_name == 'linear' or not isinstance(kernel, RBF | Polynomial):  ->  "
        "if not isinstance(kernel, RBF | Polynomial):",
    ): "the kernel of a linear machine is a Linear, and neither of these",
    (
        "certificate",
        "_on_grid",
        "return z if z[k] * rest >= 0 else np.zeros_like(z)  ->  return z if z[k] * rest >= 0 else z",
    ): "the rest is less than a step of the grid per entry: below ten million entries the largest one can take it",
    (
        "bounds",
        "empirical_risk",
        "return float(LOSSES[loss](y, f).mean())  ->  return float(LOSSES[loss](f, y).mean())",
    ): "each of the losses depends on y f or on (y - f)² alone",
    (
        "certificate",
        "_onto_null_space",
        "A = np.column_stack([A / np.maximum(np.abs(A).max(axis=0), np.finfo(float).tiny), np.ones(len(z))])"
        "  ->  A = np.column_stack([A / np.maximum(np.abs(A).max(axis=0), np.finfo(float).tiny), -np.ones(len(z))])",
    ): "a column of the other sign spans the same space",
    (
        "certificate",
        "_largest_product",
        "J, below = (np.arange(K.shape[1]), enough)  ->  J, below = (np.arange(K.shape[1]), -enough)",
    ): "whoever asks compares with the price, below which it makes no difference",
    (
        "certificate",
        "dual_bound",
        "value = float(gain / max(1.0, reach / sparsity))  ->  value = float(gain / max(0.0, reach / sparsity))",
    ): "reach is no less than the price",
}
