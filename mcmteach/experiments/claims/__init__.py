"""What N and P claim, beside what our own runs show: ``python -m mcmteach.experiments.claims`` writes docs/CLAIMS.md.

``evidence`` gathers the stored numbers, ``rules`` turns them into verdicts (a function per claim), ``words`` puts numbers
into phrases, ``figures`` draws forest plots, and ``page`` writes it all down.
"""

from mcmteach.experiments.claims.evidence import Evidence, gather
from mcmteach.experiments.claims.page import Document, document, page
from mcmteach.experiments.claims.rules import CLAIMS, VERDICTS, Claim
