"""The matrices and folds of the paper's Table 1, as its authors published them.

They are in the public GitHub repository macsharma/MCM_LINPROG (MIT licence), folder ``MCM_v1_linear/data_folds``, commit
53fa95d: ``N.mat`` with x and y in {-1, +1}, ``Nfold.mat`` with the fold, 1 to 5, of every sample. They do not come with this
package: it knows their SHA-256, reads them from a folder that you name, and stores only what it computes from them.
"""

from __future__ import annotations

import hashlib
import io
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.io
from numpy.typing import NDArray

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray

INSIDE = Path("MCM_v1_linear") / "data_folds"  # where the files are in a clone of the repository
SOURCE = f"GitHub repository macsharma/MCM_LINPROG, commit 53fa95d, folder {INSIDE.as_posix()}"
_SUMS = files("mcmteach.experiments.authors").joinpath("sha256.txt").read_text(encoding="utf-8")
SHA256 = {file: digest for digest, file in map(str.split, _SUMS.splitlines())}


class AuthorsSet(NamedTuple):
    """A row of the paper's Tables 1 to 3, and the two files behind it."""

    row: int
    number: int  #: of the files: N.mat and Nfold.mat
    name: str  #: the paper's
    samples: int
    features: int

    @property
    def files(self) -> tuple[str, str]:
        return f"{self.number}.mat", f"{self.number}fold.mat"


class AuthorsData(NamedTuple):
    X: FloatArray
    y: FloatArray  #: -1 and +1
    fold: NDArray[np.intp]  #: 0 to 4, of every sample


AUTHORS_SETS = (
    AuthorsSet(1, 5, "ionosphere", 351, 34),
    AuthorsSet(2, 9, "promotors", 106, 57),
    AuthorsSet(3, 15, "mammographic-masses", 961, 5),
    AuthorsSet(4, 17, "bands", 539, 39),
    AuthorsSet(5, 20, "sonar", 208, 60),
    AuthorsSet(6, 24, "wholesale-customers", 440, 7),
    AuthorsSet(7, 27, "seed", 140, 7),
    AuthorsSet(8, 28, "blogger", 100, 5),
    AuthorsSet(9, 29, "indian-liver-patient-dataset", 583, 10),
    AuthorsSet(10, 6, "blood-transfusion", 748, 4),
    AuthorsSet(11, 7, "tic-tac-toe", 958, 9),
    AuthorsSet(12, 1, "pima-indians", 768, 8),
    AuthorsSet(13, 2, "heart-statlog", 270, 13),
    AuthorsSet(14, 3, "habermanns-survival", 306, 3),
    AuthorsSet(15, 4, "hepatitis", 155, 19),
    AuthorsSet(16, 8, "ecg", 132, 12),
    AuthorsSet(17, 10, "congressional-voting-records", 435, 16),
    AuthorsSet(18, 11, "horsecolic", 300, 27),
    AuthorsSet(19, 13, "australian", 690, 14),
    AuthorsSet(20, 14, "australian-credit-approval", 690, 15),
    AuthorsSet(21, 16, "german-credit", 1000, 20),
    AuthorsSet(22, 18, "breast-cancer-w", 568, 31),
    AuthorsSet(23, 19, "planning-relax", 182, 12),
    AuthorsSet(24, 21, "housevotes", 436, 16),
    AuthorsSet(25, 23, "balance", 576, 4),
    AuthorsSet(26, 25, "ecoli", 220, 6),
    AuthorsSet(27, 26, "glass", 146, 10),
)

BY_NAME = {one.name: one for one in AUTHORS_SETS}

#: What the files show where a row is another task, or has other columns, than its name says.
RELABELLED = {
    16: "the label is 108 to 24, whether the patient was alive after a year with those unknown counted as not, it seems",
    18: "the label is whether surgery was performed (180 to 120), not whether the lesion was surgical",
    20: "the label is the applicant's attribute A1 (480 to 210), and the credit decision is the last feature",
    22: "feature 1 is the patient's number, and one of the 569 patients is missing",
    24: "the same votes as row 17, and a stray row of 2s among them",
    26: "the last feature, alm2, is missing",
    27: "feature 1 is the sample's number: 1 to 70 are one class, 71 to 146 the other",
}

#: Rows that hold the same samples and labels as another one: the two count once.
SAME_ROWS = {24: 17}

#: Rows whose first feature numbers the samples.
NUMBERED = (22, 27)


def read_set(name: str, folder: str | Path) -> AuthorsData:
    """The data of a row, from files that are checked first."""
    data, folds = (scipy.io.loadmat(io.BytesIO(content)) for content in read_files(name, folder))
    X, y = (np.asarray(data[key], dtype=float) for key in ("x", "y"))
    return AuthorsData(X, y.ravel(), folds["indices"].ravel().astype(np.intp) - 1)


def read_files(name: str, folder: str | Path) -> list[bytes]:
    """The two files of a row. A file that is missing, truncated or different is refused."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InvalidInputError(
            f"There is no folder {folder}. --data names a folder with the authors' files: {SOURCE}."
        )
    inside = folder / INSIDE if (folder / INSIDE).is_dir() else folder
    return [_checked(inside / file) for file in BY_NAME[name].files]


def _checked(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InvalidInputError(f"{path} cannot be read ({problem.strerror}). The authors' files: {SOURCE}.") from None
    found, expected = hashlib.sha256(content).hexdigest(), SHA256[path.name]
    if found != expected:
        raise InvalidInputError(
            f"{path} is not the authors' file: its {len(content)} bytes have the SHA-256 {found[:12]}…, but {expected[:12]}… "
            f"is expected. It may be truncated, or another version. The authors' files: {SOURCE}."
        )
    return content
