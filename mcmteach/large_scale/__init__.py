"""The stochastic machine for data of any size: its features, its conformal version, and data that come in blocks."""

from mcmteach.large_scale.conformal import ConformalLargeScaleMCMClassifier, scatter_forms
from mcmteach.large_scale.feature_maps import PrototypeMap, RandomFourierMap, Whitening
from mcmteach.large_scale.machine import LargeScaleMCMClassifier
from mcmteach.large_scale.streams import ArrayStream
