"""P's Tables 2, 3 and 4 as they are printed, to compare our own runs with. (Table 1: ``mcmteach.datasets.paper_tables``.)

Numbers of support vectors in Table 3's last column are not what its heading says: see :mod:`mcmteach.paper.table3_counts`.
"""

from __future__ import annotations

from typing import NamedTuple

ROUNDING = 0.005  # what a printed number with two decimals may be off by
SLIVER = 1e-9  # so that a bound that holds exactly is not lost to binary fractions


class MeanSD(NamedTuple):
    """A mean over five folds and its standard deviation, as in "88.87 ± 4.12"."""

    mean: float
    sd: float


class AccuracyRow(NamedTuple):
    """A row of Table 2: test accuracy in per cent of the MCM, the conformal MCM and an SVM with the RBF kernel."""

    row: int
    name: str
    mcm: MeanSD
    conformal: MeanSD
    svm: MeanSD


class SupportRow(NamedTuple):
    """A row of Table 3: number of support vectors of the conformal MCM and of the SVM."""

    row: int
    name: str
    conformal: MeanSD
    svm: MeanSD


class LargeScaleRow(NamedTuple):
    """A row of Table 4: test accuracy in per cent of the large-scale MCM without and with a conformal map."""

    row: int
    name: str
    mcm: float
    conformal: float


TABLE2: tuple[AccuracyRow, ...] = (
    AccuracyRow(1, "Ionosphere", MeanSD(88.87, 4.12), MeanSD(93.72, 2.61), MeanSD(89.74, 2.37)),
    AccuracyRow(2, "Promotors", MeanSD(71.44, 15.18), MeanSD(82.15, 3.4), MeanSD(82.06, 7.69)),
    AccuracyRow(3, "Mammographic Masses", MeanSD(75.33, 12.35), MeanSD(83.77, 3.92), MeanSD(82.42, 2.88)),
    AccuracyRow(4, "Bands", MeanSD(76.28, 7.03), MeanSD(80.54, 2.99), MeanSD(74.23, 5.25)),
    AccuracyRow(5, "SONAR", MeanSD(76.06, 8.13), MeanSD(86.13, 7.12), MeanSD(79.31, 6.46)),
    AccuracyRow(6, "Wholesale Customers", MeanSD(86.13, 2.12), MeanSD(90.69, 1.19), MeanSD(90.23, 2.05)),
    AccuracyRow(7, "Seed", MeanSD(95.71, 6.39), MeanSD(99.29, 1.6), MeanSD(97.14, 3.91)),
    AccuracyRow(8, "Blogger", MeanSD(84.82, 5.52), MeanSD(84.82, 5.52), MeanSD(71.04, 3.49)),
    AccuracyRow(9, "Indian Liver Patient Dataset", MeanSD(70.67, 1.48), MeanSD(71.55, 0.0), MeanSD(73.07, 1.37)),
    AccuracyRow(10, "Blood Transfusion", MeanSD(78.6, 2.28), MeanSD(75.8, 1.22), MeanSD(76.87, 1.11)),
    AccuracyRow(11, "Tic Tac Toe", MeanSD(98.85, 1.13), MeanSD(98.75, 0.28), MeanSD(65.34, 0.23)),
    AccuracyRow(12, "Pima Indians", MeanSD(75.78, 3.48), MeanSD(76.43, 3.88), MeanSD(77.86, 3.05)),
    AccuracyRow(13, "Heart Statlog", MeanSD(73.33, 6.75), MeanSD(81.85, 3.8), MeanSD(87.04, 1.31)),
    AccuracyRow(14, "Habermann's Survival", MeanSD(72.22, 2.85), MeanSD(74.18, 0.82), MeanSD(75.81, 2.26)),
    AccuracyRow(15, "Hepatitis", MeanSD(75.48, 10.04), MeanSD(81.36, 2.96), MeanSD(83.94, 5.79)),
    AccuracyRow(16, "ECG", MeanSD(83.39, 10.93), MeanSD(87.15, 5.04), MeanSD(87.95, 4.68)),
    AccuracyRow(17, "Congressional Voting Records", MeanSD(93.57, 2.99), MeanSD(95.18, 0.93), MeanSD(96.33, 0.94)),
    AccuracyRow(18, "Horsecolic", MeanSD(74.67, 8.77), MeanSD(80.0, 4.25), MeanSD(82.67, 3.84)),
    AccuracyRow(19, "Australian", MeanSD(83.76, 4.32), MeanSD(86.37, 2.28), MeanSD(87.68, 3.48)),
    AccuracyRow(20, "Australian Credit Approval", MeanSD(68.41, 2.21), MeanSD(68.48, 1.54), MeanSD(69.57, 0.0)),
    AccuracyRow(21, "German Credit", MeanSD(74.1, 1.43), MeanSD(71.6, 0.89), MeanSD(75.1, 2.72)),
    AccuracyRow(22, "Breast Cancer (W)", MeanSD(94.37, 1.72), MeanSD(97.19, 0.96), MeanSD(97.71, 1.33)),
    AccuracyRow(23, "Planning Relax", MeanSD(62.09, 8.53), MeanSD(71.02, 2.92), MeanSD(74.19, 3.58)),
    AccuracyRow(24, "Housevotes", MeanSD(94.04, 0.94), MeanSD(95.87, 0.6), MeanSD(96.79, 1.25)),
    AccuracyRow(25, "Balance", MeanSD(100.0, 0.0), MeanSD(99.83, 0.39), MeanSD(96.0, 1.01)),
    AccuracyRow(26, "Ecoli", MeanSD(96.36, 2.03), MeanSD(98.18, 1.02), MeanSD(98.64, 2.03)),
    AccuracyRow(27, "Glass", MeanSD(90.39, 6.66), MeanSD(95.2, 3.94), MeanSD(98.64, 1.86)),
)

TABLE3: tuple[SupportRow, ...] = (
    SupportRow(1, "Ionosphere", MeanSD(74.0, 6.4), MeanSD(89.62, 2.14)),
    SupportRow(2, "Promotors", MeanSD(38.6, 5.98), MeanSD(79.89, 8.7)),
    SupportRow(3, "Mammographic Masses", MeanSD(173.0, 333.29), MeanSD(120.51, 93.35)),
    SupportRow(4, "Bands", MeanSD(102.6, 44.12), MeanSD(112.86, 94.74)),
    SupportRow(5, "SONAR", MeanSD(61.4, 18.96), MeanSD(87.76, 21.48)),
    SupportRow(6, "Wholesale Customers", MeanSD(38.2, 11.58), MeanSD(85.36, 12.07)),
    SupportRow(7, "Seed", MeanSD(17.4, 6.47), MeanSD(82.95, 34.94)),
    SupportRow(8, "Blogger", MeanSD(14.4, 4.39), MeanSD(67.37, 9.52)),
    SupportRow(9, "Indian Liver Patient Dataset", MeanSD(5.6, 12.52), MeanSD(91.39, 44.89)),
    SupportRow(10, "Blood Transfusion", MeanSD(11.8, 3.03), MeanSD(112.06, 86.2)),
    SupportRow(11, "Tic Tac Toe", MeanSD(71.6, 36.17), MeanSD(144.29, 193.37)),
    SupportRow(12, "Pima Indians", MeanSD(30.2, 7.5), MeanSD(129.05, 125.42)),
    SupportRow(13, "Heart Statlog", MeanSD(53.0, 29.3), MeanSD(93.2, 15.14)),
    SupportRow(14, "Habermann's Survival", MeanSD(10.0, 8.4), MeanSD(82.01, 15.32)),
    SupportRow(15, "Hepatitis", MeanSD(19.4, 15.45), MeanSD(76.28, 19.46)),
    SupportRow(16, "ECG", MeanSD(37.4, 10.26), MeanSD(78.62, 23.22)),
    SupportRow(17, "Congressional Voting Records", MeanSD(81.4, 25.86), MeanSD(89.94, 15.67)),
    SupportRow(18, "Horsecolic", MeanSD(67.0, 28.0), MeanSD(86.72, 10.51)),
    SupportRow(19, "Australian", MeanSD(98.6, 41.04), MeanSD(134.07, 113.67)),
    SupportRow(20, "Australian Credit Approval", MeanSD(16.0, 24.99), MeanSD(125.64, 137.35)),
    SupportRow(21, "German Credit", MeanSD(122.4, 46.44), MeanSD(143.42, 167.36)),
    SupportRow(22, "Breast Cancer (W)", MeanSD(72.2, 22.58), MeanSD(98.93, 3.2)),
    SupportRow(23, "Planning Relax", MeanSD(34.4, 29.04), MeanSD(76.49, 6.48)),
    SupportRow(24, "Housevotes", MeanSD(61.8, 6.57), MeanSD(89.5, 17.91)),
    SupportRow(25, "Balance", MeanSD(7.4, 0.89), MeanSD(90.34, 13.91)),
    SupportRow(26, "Ecoli", MeanSD(9.2, 6.83), MeanSD(85.2, 32.97)),
    SupportRow(27, "Glass", MeanSD(27.0, 9.57), MeanSD(88.7, 24.41)),
)

TABLE4: tuple[LargeScaleRow, ...] = (
    LargeScaleRow(1, "w4a", 97.39, 97.40),
    LargeScaleRow(2, "diabetes", 76.62, 75.97),
    LargeScaleRow(3, "breast-cancer", 96.35, 97.08),
    LargeScaleRow(4, "australian", 81.16, 83.33),
    LargeScaleRow(5, "german-numer", 71.50, 71.50),
    LargeScaleRow(6, "fourclass", 98.84, 98.84),
    LargeScaleRow(7, "a3a", 84.16, 84.18),
    LargeScaleRow(8, "a4a", 84.44, 84.46),
    LargeScaleRow(9, "a8a", 84.83, 84.86),
    LargeScaleRow(10, "EEG Eye State", 78.77, 78.70),
    LargeScaleRow(11, "HTRU2", 98.04, 98.04),
    LargeScaleRow(12, "MAGIC Gamma Telescope", 87.40, 87.51),
    LargeScaleRow(13, "phishing", 94.93, 94.93),
    LargeScaleRow(14, "Default of Credit Card Clients", 80.46, 80.52),
)
