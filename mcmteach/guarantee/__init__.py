r"""A bound on the risk of a given machine: from the few samples it is made of, not from a class of functions.

A machine that can be rebuilt from d of the M training samples and a short message is one of at most
\(\binom{M}{d} \times\) (number of messages) machines that were there *before* the labels of the other M - d samples were
looked at. So those samples test it, as a test set would, and a union bound pays for the choice. With k errors on them

\[R \le \max\Big\{p : P\big(\mathrm{Bin}(M - d,\, p) \le k\big) \ge
    \delta\, \pi(d)\, \pi(\text{message}) \Big/ \tbinom{M}{d}\Big\}\]

holds with probability at least 1 - delta over the draw of the sample, whatever the distribution and however the machine was
found. The samples must be independent, and everything that the message is written in (the priors, the list of widths, the
units of the features) must be fixed before the sample is seen.

Sources: Littlestone & Warmuth 1986; Floyd & Warmuth 1995; Langford 2005 (the binomial tail inverted, and a prior
over messages); Marchand & Shawe-Taylor 2002 (messages for kernel-like machines); Campi & Garatti 2021, 2023 (scenarios).
"""

from mcmteach.guarantee.compress import (
    GAMMA_LIST,
    CompressedMachine,
    RiskCertificate,
    constant_bound,
    message_nats,
    message_parts,
    risk_certificate,
)
from mcmteach.guarantee.counts import (
    compression_bound,
    hoeffding_bound,
    relative_entropy_bound,
    scenario_bound,
    test_set_bound,
)
from mcmteach.guarantee.search import Certified, CertifiedMCM, certify
