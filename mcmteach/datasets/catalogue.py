"""The bundled sets: names of features and classes, size, source, citation, and pitfalls.

The files know their features only as x1 … xn. The names here are the donors' own where their documentation gives
them; a set whose donor named nothing keeps x1 … xn.
"""

from __future__ import annotations

from dataclasses import dataclass, field

UCI = "UCI Machine Learning Repository (Dua & Graff 2019, https://archive.ics.uci.edu)"
LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"


@dataclass(frozen=True)
class CatalogueEntry:
    """One bundled set.

    ``classes`` maps the label in the file to a readable name, in the order of the targets 0, 1, …; ``default`` names
    the classes that are loaded unless others are asked for (all of them where it is empty). ``shape`` is
    (samples, features) of that default, with a category counted as one feature. ``values`` maps a category's code
    in the file to a readable value, in the order of the columns.
    """

    title: str
    shape: tuple[int, int]
    features: tuple[str, ...]
    classes: dict[str, str]
    note: str
    citation: str
    sha256: str
    default: tuple[str, ...] = ()
    values: dict[str, str] = field(default_factory=dict)
    zeros_are_missing: tuple[str, ...] = ()
    file_type: str = "csv"
    source: str = UCI


def _numbered(n: int, letter: str = "x") -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(1, n + 1))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _coded(text: str) -> dict[str, str]:
    return {code: value for code, _, value in (pair.partition(" ") for pair in text.split("; "))}


_CELL = _names(
    "radius, texture, perimeter, area, smoothness, compactness, concavity, concave points, symmetry, fractal dimension"
)

# german.doc's code table. The order of the codes is the order of the columns.
_GERMAN_VALUES = _coded(
    "A11 below 0 DM; A12 0 to 200 DM; A13 200 DM or more, or salary for a year; A14 no account; A30 none taken, "
    "or all paid back; A31 all at this bank paid back; A32 paid back till now; A33 delays in the past; A34 "
    "critical account, or credits elsewhere; A40 new car; A41 used car; A42 furniture or equipment; A43 radio or "
    "television; A44 domestic appliances; A45 repairs; A46 education; A48 retraining; A49 business; A410 other; "
    "A61 below 100 DM; A62 100 to 500 DM; A63 500 to 1000 DM; A64 1000 DM or more; A65 unknown or none; A71 "
    "unemployed; A72 below 1 year; A73 1 to 4 years; A74 4 to 7 years; A75 7 years or more; A91 male, divorced or"
    " separated; A92 female, divorced, separated or married; A93 male, single; A94 male, married or widowed; A101"
    " none; A102 co-applicant; A103 guarantor; A121 real estate; A122 building society savings or life insurance;"
    " A123 car or other; A124 unknown or none; A141 bank; A142 stores; A143 none; A151 rent; A152 own; A153 for "
    "free; A171 unemployed, or unskilled and not resident; A172 unskilled, resident; A173 skilled employee or "
    "official; A174 management, self-employed or highly qualified; A191 none; A192 yes; A202 no; A201 yes"
)

# Adult's attributes, each a block of 0/1 columns in the order of adult.names. The numeric ones were cut into five
# equal parts, and capital gain and loss into zero and more (Platt). A missing value leaves its block empty.
_ADULT_BLOCKS = {
    "age": "fifth 1, fifth 2, fifth 3, fifth 4, fifth 5",
    "workclass": (
        "Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, Without-pay, Never-worked"
    ),
    "fnlwgt": "fifth 1, fifth 2, fifth 3, fifth 4, fifth 5",
    "education": (
        "Bachelors, Some-college, 11th, HS-grad, Prof-school, Assoc-acdm, Assoc-voc, 9th, 7th-8th, 12th, Masters, "
        "1st-4th, 10th, Doctorate, 5th-6th, Preschool"
    ),
    "education-num": "part 1, part 2, part 3, part 4, part 5",
    "marital-status": (
        "Married-civ-spouse, Divorced, Never-married, Separated, Widowed, Married-spouse-absent, Married-AF-spouse"
    ),
    "occupation": (
        "Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, Prof-specialty, Handlers-cleaners, "
        "Machine-op-inspct, Adm-clerical, Farming-fishing, Transport-moving, Priv-house-serv, Protective-serv, "
        "Armed-Forces"
    ),
    "relationship": "Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried",
    "race": "White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black",
    "sex": "Female, Male",
    "capital-gain": "0, above 0",
    "capital-loss": "0, above 0",
    "hours-per-week": "part 1, part 2, part 3, part 4, part 5",
    "native-country": (
        "United-States, Cambodia, England, Puerto-Rico, Canada, Germany, Outlying-US(Guam-USVI-etc), India, Japan, "
        "Greece, South, China, Cuba, Iran, Honduras, Philippines, Italy, Poland, Jamaica, Vietnam, Mexico, Portugal, "
        "Ireland, France, Dominican-Republic, Laos, Ecuador, Taiwan, Haiti, Columbia, Hungary, Guatemala, Nicaragua, "
        "Scotland, Thailand, Yugoslavia, El-Salvador, Trinadad&Tobago, Peru, Hong, Holand-Netherlands"
    ),
}

CATALOGUE: dict[str, CatalogueEntry] = {
    "adult-a1a-pool": CatalogueEntry(
        title="Adult census income, the 123 binary features of LIBSVM's a1a",
        shape=(32561, 123),
        features=tuple(f"{block}={value}" for block, text in _ADULT_BLOCKS.items() for value in _names(text)),
        classes={"-1": "<=50K", "+1": ">50K"},
        note=(
            "The data is a sparse CSR array: about 14 of the 123 entries of a row are 1 and the rest are 0, so it takes "
            "less than 6 MB and not 32. The kernels and machines here take it as it is; .toarray() makes it dense. "
            "LIBSVM's a1a comes first (1605 rows), its test part after it. LIBSVM's a1a to a9a are all cut from these "
            "rows, but which rows belong to a3a, a4a or a8a is not recorded: take as many rows, and say that they are "
            "not the same ones. A missing category leaves all of its columns 0."
        ),
        citation=(
            "Donated by Ronny Kohavi and Barry Becker (1996). R. Kohavi, Scaling up the accuracy of naive-Bayes "
            "classifiers: a decision-tree hybrid, KDD 1996. Coded as 123 binary features by J. C. Platt, Fast training "
            "of support vector machines using sequential minimal optimization, 1999. By way of LIBSVM: C.-C. Chang and "
            "C.-J. Lin, LIBSVM: a library for support vector machines, ACM TIST 2, 2011."
        ),
        sha256="07487148d68743752ea6bf064a177613bbb59795987752d09d8fb611e781e641",
        file_type="svm",
    ),
    "australian": CatalogueEntry(
        title="Statlog (Australian credit approval)",
        shape=(690, 14),
        features=_numbered(14, "A"),
        classes={"0": "-", "1": "+"},
        note=(
            "The donor hid the meaning of the features and classes; categories are coded as numbers, missing values "
            "were filled in (mean or mode) before it was published. These are the 690 applicants of credit-approval in "
            "another order. The copy that we were given had lost the decimal point in A2, A3 and A7 (22.08 read 2208, "
            "0.165 read 165); each row has exactly one match in credit-approval, so the points could be put back."
        ),
        citation="J. R. Quinlan, Simplifying decision trees, International Journal of Man-Machine Studies 27, 1987.",
        sha256="d2381cd06c8553e2de0abf147d31cf0f21e3d562bc693947a18fc31df99aa888",
    ),
    "balance-scale": CatalogueEntry(
        title="Balance scale, weight and distance",
        shape=(576, 4),
        features=_names("left-weight, left-distance, right-weight, right-distance"),
        classes={"L": "left", "R": "right"},
        note=(
            "Every scale with weights and distances from 1 to 5, without the 49 that are balanced. The side with the "
            "larger weight times distance goes down; rule_sets.balance_scale makes the same 576 rows."
        ),
        citation=(
            "Donated by Tim Hume (1994). It models R. S. Siegler, Three aspects of cognitive development, Cognitive "
            "Psychology 8, 1976."
        ),
        sha256="f180399a0ec054c8b863640d659ecb85bd63d9b71935fc0b734a1117cdbe9881",
    ),
    "bands": CatalogueEntry(
        title="Cylinder bands in rotogravure printing",
        shape=(365, 19),
        features=_names(
            "proof cut, viscosity, caliper, ink temperature, humidity, roughness, blade pressure, varnish pct, "
            "press speed, ink pct, solvent pct, ESA voltage, ESA amperage, wax, hardener, roller durometer, "
            "current density, anode space ratio, chrome content"
        ),
        classes={"noband": "no band", "band": "band"},
        note="Only the 19 numeric features, and only the rows in which all of them are known.",
        citation=(
            "Donated by Bob Evans, R. R. Donnelley & Sons (1995). B. Evans and D. Fisher, Overcoming process delays with "
            "decision tree induction, IEEE Expert 9, 1994."
        ),
        sha256="76f2255090bedf37188a672b0dc8d149b94a327a4b8aa4b387818c4fcada9c81",
    ),
    "blood-transfusion": CatalogueEntry(
        title="Blood Transfusion Service Center",
        shape=(748, 4),
        features=_names("recency (months), frequency (times), monetary (cc blood), time (months)"),
        classes={"0": "did not donate", "1": "donated"},
        note=(
            "Did this donor give blood in March 2007? The amount is 250 cc times the frequency, so one of the two says "
            "nothing new. Many rows are identical, some of them with both labels."
        ),
        citation=(
            "Donated by I-Cheng Yeh. I-C. Yeh, K.-J. Yang and T.-M. Ting, Knowledge discovery on RFM model using "
            "Bernoulli sequence, Expert Systems with Applications 36, 2009."
        ),
        sha256="83325a98c2f76809630b113861487a6a10b8afc8541a2de8fc1f45d621443665",
    ),
    "breast-cancer-wdbc": CatalogueEntry(
        title="Breast cancer Wisconsin (diagnostic)",
        shape=(569, 30),
        features=tuple(f"{prefix} {what}" for prefix in ("mean", "standard error of", "worst") for what in _CELL),
        classes={"0": "malignant", "1": "benign"},
        note="Ten measures of the cell nuclei in an image, each as mean, standard error and worst of the nuclei.",
        citation=(
            "Donated by W. H. Wolberg, W. N. Street and O. L. Mangasarian (1995). W. N. Street, W. H. Wolberg and "
            "O. L. Mangasarian, Nuclear feature extraction for breast tumor diagnosis, SPIE 1905, 1993."
        ),
        sha256="d154e80b2ba88c2bb35678b5b3a9fee3019139788d6244c0e0717d34a32f94f5",
    ),
    "breast-cancer-wisconsin": CatalogueEntry(
        title="Breast cancer Wisconsin (original)",
        shape=(683, 9),
        features=_names(
            "clump thickness, uniformity of cell size, uniformity of cell shape, marginal adhesion, "
            "single epithelial cell size, bare nuclei, bland chromatin, normal nucleoli, mitoses"
        ),
        classes={"negative": "benign", "positive": "malignant"},
        note="Grades from 1 to 10. The 16 rows of UCI's 699 without a value for bare nuclei are left out.",
        citation=(
            "Donated by Olvi Mangasarian; obtained from Dr William H. Wolberg, University of Wisconsin Hospitals, Madison "
            "(1992). W. H. Wolberg and O. L. Mangasarian, Multisurface method of pattern separation for medical "
            "diagnosis applied to breast cytology, PNAS 87, 1990."
        ),
        sha256="980cfe4ea0cf3d7f2061d3e26415f281bcc5d667a281dc40a561cf0cb831d022",
    ),
    "congressional-voting": CatalogueEntry(
        title="Congressional voting records, 1984",
        shape=(435, 16),
        features=_names(
            "handicapped-infants, water-project-cost-sharing, adoption-of-the-budget-resolution, physician-fee-freeze, "
            "el-salvador-aid, religious-groups-in-schools, anti-satellite-test-ban, aid-to-nicaraguan-contras, "
            "mx-missile, immigration, synfuels-corporation-cutback, education-spending, superfund-right-to-sue, crime, "
            "duty-free-exports, export-administration-act-south-africa"
        ),
        classes={"republican": "republican", "democrat": "democrat"},
        note=(
            "1 is a vote for, 0 against. A missing value (392 of them) is not an unknown vote: the member voted neither "
            "way. The paper lists this set twice, as 17 and as 24."
        ),
        citation=(
            "Donated by Jeff Schlimmer (1987), from the Congressional Quarterly Almanac, 98th Congress, 2nd session, 1984."
        ),
        sha256="36c2a6afc9f67907654a743d4bc63baf1c508a3dc6df0eb047858837c08c99a9",
        values={"n": "n", "y": "y"},
    ),
    "credit-approval": CatalogueEntry(
        title="Credit approval",
        shape=(690, 15),
        features=_numbered(15, "A"),
        classes={"-": "-", "+": "+"},
        note=(
            "The donor hid the meaning of the features and classes. 67 values are missing. The same 690 applicants as "
            "australian, where the categories are numbers and the gaps are filled."
        ),
        citation="J. R. Quinlan, Simplifying decision trees, International Journal of Man-Machine Studies 27, 1987.",
        sha256="43bf94cee85b5ceaaacd11e4acce6db6fb34d3c5367044557e1f414390b5516e",
    ),
    "credit-default": CatalogueEntry(
        title="Default of credit card clients",
        shape=(30000, 23),
        features=_names(
            "LIMIT_BAL, SEX, EDUCATION, MARRIAGE, AGE, PAY_0, PAY_2, PAY_3, PAY_4, PAY_5, PAY_6, BILL_AMT1, BILL_AMT2, "
            "BILL_AMT3, BILL_AMT4, BILL_AMT5, BILL_AMT6, PAY_AMT1, PAY_AMT2, PAY_AMT3, PAY_AMT4, PAY_AMT5, PAY_AMT6"
        ),
        classes={"0": "paid", "1": "default"},
        note=(
            "Clients of a bank in Taiwan, 2005, in New Taiwan dollars. SEX, EDUCATION and MARRIAGE are categories coded "
            "as numbers, and EDUCATION and MARRIAGE hold codes that the documentation does not explain."
        ),
        citation=(
            "Donated by I-Cheng Yeh. I-C. Yeh and C.-H. Lien, The comparisons of data mining techniques for the "
            "predictive accuracy of probability of default of credit card clients, Expert Systems with Applications 36, "
            "2009."
        ),
        sha256="6af93fe75218f028c0b17d83f97b8bebd8fede788d2c4c1e188dd48ca9a6783f",
    ),
    "echocardiogram": CatalogueEntry(
        title="Echocardiogram, after a heart attack",
        shape=(131, 10),
        features=_names(
            "survival, age-at-heart-attack, pericardial-effusion, fractional-shortening, epss, lvdd, wall-motion-score, "
            "wall-motion-index, mult, alive-at-1"
        ),
        classes={"0": "still-alive=0", "1": "still-alive=1"},
        note=(
            "The one row of UCI's 132 that has no label is dropped. UCI says that still-alive=1 means alive at the end "
            "of the survival period, and alive-at-1 = 1 alive after a year; yet no row with alive-at-1 = 1 survived more "
            "than 10 months, so the codes seem to be turned round. survival and alive-at-1 come from the same follow-up "
            "as the label: leave them out for an honest prediction. The paper calls a set of 132 x 12 'ECG', which we "
            "take to be this one; which label it used it does not say."
        ),
        citation="Donated by Steven Salzberg (1989); collected by Dr Evlin Kinney, The Reed Institute, Miami.",
        sha256="ac842bbfe90ae042334118ce155cd661714ef3c6882fa9e5c751778950421b21",
    ),
    "ecoli": CatalogueEntry(
        title="Ecoli, where a protein goes in the cell",
        shape=(220, 7),
        features=_names("mcg, gvh, lip, chg, aac, alm1, alm2"),
        classes={name: name for name in ("cp", "im", "pp", "imU", "om", "omL", "imL", "imS")},
        default=("cp", "im"),
        note=(
            "The paper uses 220 samples: cp (cytoplasm, 143) against im (inner membrane without signal sequence, 77). "
            'classes="all" gives all eight and 336 samples. Among cp and im the feature chg is constant.'
        ),
        citation=(
            "Created by Kenta Nakai, donated by Paul Horton (1996). P. Horton and K. Nakai, A probabilistic "
            "classification system for predicting the cellular localization sites of proteins, ISMB 1996."
        ),
        sha256="01d5109e6fd7194c548975c55a63b8ae3e5cab16b208f38f18e06b65b5c01b9d",
    ),
    "german-credit": CatalogueEntry(
        title="Statlog (German credit data)",
        shape=(1000, 20),
        features=_names(
            "checking account, duration (months), credit history, purpose, credit amount, savings, employment, "
            "instalment rate, personal status, other debtors, residence since, property, age, other instalment plans, "
            "housing, number of credits, job, number of dependants, telephone, foreign worker"
        ),
        classes={"1": "good", "2": "bad"},
        note="Seven numeric features and thirteen categories. german-numer holds the same applicants in the same order.",
        citation="Donated by Hans Hofmann, Universität Hamburg (1994).",
        sha256="34045d1e285a933de757883ec266c217dfa3e6ee6bec17cece85b6c1f22e036e",
        values=_GERMAN_VALUES,
    ),
    "german-numer": CatalogueEntry(
        title="Statlog (German credit data), numeric",
        shape=(1000, 24),
        features=_names(
            "checking account, duration (months), credit history, credit amount (hundreds), savings, employment, "
            "personal status, residence since, property, age, other instalment plans, number of credits, "
            "number of dependants, telephone, foreign worker, purpose=new car, purpose=used car, other debtors=none, "
            "other debtors=co-applicant, housing=rent, housing=own, job=unemployed, job=unskilled, job=skilled"
        ),
        classes={"1": "good", "2": "bad"},
        note=(
            "german-credit as numbers: ordered categories became their rank, some others 0/1, and the instalment rate "
            "and most purposes were dropped. UCI does not name the columns; these names were found by comparing with "
            "german-credit row by row."
        ),
        citation="Donated by Hans Hofmann, Universität Hamburg (1994); made numeric at Strathclyde University.",
        sha256="4cf0af1348bf8625528ef2ae74a31f0871d9e1aee513487fe4c6743382fbf1cb",
    ),
    "glass": CatalogueEntry(
        title="Glass identification",
        shape=(146, 9),
        features=_names("RI, Na, Mg, Al, Si, K, Ca, Ba, Fe"),
        classes={
            "1": "building windows, float",
            "2": "building windows, non-float",
            "3": "vehicle windows, float",
            "5": "containers",
            "6": "tableware",
            "7": "headlamps",
        },
        default=("building windows, float", "building windows, non-float"),
        note=(
            "The refractive index and eight oxides in weight per cent. The paper uses 146 samples: types 1 (70) and "
            '2 (76). classes="all" gives all six and 214 samples; there is no type 4 in the data.'
        ),
        citation="Created by B. German, Home Office Forensic Science Service; donated by Vina Spiehler (1987).",
        sha256="d00dadbda3290a40ac04ee8df79a7f427d12ef210b6a2e868bd6efa4859cd1bc",
    ),
    "haberman": CatalogueEntry(
        title="Haberman's survival after breast cancer surgery",
        shape=(306, 3),
        features=_names("age at operation, year of operation - 1900, positive axillary nodes"),
        classes={"negative": "survived 5 years", "positive": "died within 5 years"},
        note="A study from 1958 to 1970. Some patients have the same three features and different fates.",
        citation=(
            "Donated by Tjen-Sien Lim (1999). S. J. Haberman, Generalized residuals for log-linear models, 9th "
            "International Biometrics Conference, 1976."
        ),
        sha256="c7ce147b78aa11f50f1a4655970ac0af84a61518905e6fc440799cc537ecf813",
    ),
    "heart-statlog": CatalogueEntry(
        title="Statlog (Heart)",
        shape=(270, 13),
        features=_names(
            "age, sex, chest pain type, resting blood pressure, serum cholesterol, fasting blood sugar above 120 mg/dl, "
            "resting electrocardiogram, maximum heart rate, exercise induced angina, oldpeak, slope of the ST segment, "
            "number of major vessels, thal"
        ),
        classes={"0": "presence", "1": "absence"},
        note=(
            "Heart disease present or absent. Mind the order: 0 is presence here, as in the file. Chest pain type, "
            "electrocardiogram and thal (3 normal, 6 fixed, 7 reversible defect) are categories coded as numbers."
        ),
        citation=(
            "Of the Statlog project: D. Michie, D. J. Spiegelhalter and C. C. Taylor (editors), Machine learning, neural "
            "and statistical classification, 1994."
        ),
        sha256="e9637cdecbe72ddeba71abd55d35a0332956b9603efea3e27f7c8265a5568d95",
    ),
    "hepatitis": CatalogueEntry(
        title="Hepatitis",
        shape=(155, 19),
        features=_names(
            "age, sex, steroid, antivirals, fatigue, malaise, anorexia, liver big, liver firm, spleen palpable, spiders, "
            "ascites, varices, bilirubin, alk phosphate, sgot, albumin, protime, histology"
        ),
        classes={"1": "die", "2": "live"},
        note=(
            "Signs are coded 1 and 2, which UCI lists as no and yes, and sex as male and female. 167 values are missing, "
            "67 of them protime."
        ),
        citation="Donated by G. Gong, Carnegie Mellon University, by way of Bojan Cestnik, Jožef Stefan Institute (1988).",
        sha256="c95e883f172aa10ae89ac06eaeb8f3181c924191b108af1ea96a8ab7b1ecc9d4",
    ),
    "horse-colic": CatalogueEntry(
        title="Horse colic",
        shape=(300, 27),
        features=_names(
            "surgery, age, hospital number, rectal temperature, pulse, respiratory rate, temperature of extremities, "
            "peripheral pulse, mucous membranes, capillary refill time, pain, peristalsis, abdominal distension, "
            "nasogastric tube, nasogastric reflux, nasogastric reflux pH, rectal examination, abdomen, "
            "packed cell volume, total protein, abdominocentesis appearance, abdominocentesis total protein, outcome, "
            "lesion 1, lesion 2, lesion 3, cp_data"
        ),
        classes={"1": "surgical lesion", "2": "no surgical lesion"},
        note=(
            "1605 values are missing. All features are kept because the paper counts 27, but the hospital number is a "
            "name and not a measure, and lesion 1 almost gives the label away: where its code is 0, 55 of 56 horses "
            "have no surgical lesion. The lesion codes are four digits (site, type, subtype, code) read as one number."
        ),
        citation=("Created by Mary McLeish and Matt Cecile, University of Guelph; donated by Will Taylor (1989)."),
        sha256="49f6a4aa1a9b8d6eba904a1777b9228de5705546bfea80f1d75a7227ef2e7c89",
    ),
    "indian-liver-patient": CatalogueEntry(
        title="Indian liver patient dataset (ILPD)",
        shape=(579, 10),
        features=_names(
            "age, gender, total bilirubin, direct bilirubin, alkaline phosphatase, sgpt, sgot, total proteins, albumin, "
            "albumin to globulin ratio"
        ),
        classes={"1": "liver patient", "2": "no liver patient"},
        note="Gender: 1 female, 2 male. The four rows of UCI's 583 without a ratio are left out.",
        citation=(
            "Donated by B. V. Ramana, M. S. P. Babu and N. B. Venkateswarlu (2012); see their A critical study of "
            "selected classification algorithms for liver disease diagnosis, IJDMS 3, 2011."
        ),
        sha256="80739f9b90e784e632a944e6c5eb730c8373d9029d7f82fc44c5345a64399981",
    ),
    "ionosphere": CatalogueEntry(
        title="Ionosphere, radar returns",
        shape=(351, 34),
        features=_numbered(34),
        classes={"0": "good", "1": "bad"},
        note="Seventeen complex pulse numbers as pairs of real numbers. The feature x2 is 0 everywhere.",
        citation=(
            "Donated by Vince Sigillito (1989). V. G. Sigillito, S. P. Wing, L. V. Hutton and K. B. Baker, Classification "
            "of radar returns from the ionosphere using neural networks, Johns Hopkins APL Technical Digest 10, 1989."
        ),
        sha256="7d9d12ab58281b0317d6316770d16931a24660cb0ff762b21af7ed4899cf9b1d",
    ),
    "magic-gamma": CatalogueEntry(
        title="MAGIC gamma telescope",
        shape=(19020, 10),
        features=_names("fLength, fWidth, fSize, fConc, fConc1, fAsym, fM3Long, fM3Trans, fAlpha, fDist"),
        classes={"g": "gamma", "h": "hadron"},
        note="Simulated showers: the signal (gamma) is 0 and the background (hadron) 1, and the gammas come first.",
        citation=(
            "Created by R. K. Bock, donated by P. Savicky (2007). R. K. Bock et al., Methods for multidimensional event "
            "classification: a case study using images from a Cherenkov gamma-ray telescope, Nuclear Instruments and "
            "Methods A 516, 2004."
        ),
        sha256="c8f0a3c791a9f386bdf8da37e00ffd34081afdfa6dc4a3deefa73c5d46fa0e30",
    ),
    "mammographic-masses": CatalogueEntry(
        title="Mammographic masses",
        shape=(830, 5),
        features=_names("BI-RADS, age, shape, margin, density"),
        classes={"0": "benign", "1": "malignant"},
        note=(
            "The 830 of UCI's 961 rows that are complete. BI-RADS is a doctor's judgement and not a measure; one of them "
            "reads 55, surely a slip for 5, and is kept. Many rows are identical, some with both labels."
        ),
        citation=(
            "Donated by Matthias Elter (2007). M. Elter, R. Schulz-Wendtland and T. Wittenberg, The prediction of breast "
            "cancer biopsy outcomes using two CAD approaches that both emphasize an intelligible decision process, "
            "Medical Physics 34, 2007."
        ),
        sha256="9d69c2057fd2b9f4802bdd92bb44487ccd77c24c770a7e702165a174a6d4cdca",
    ),
    "pima-indians": CatalogueEntry(
        title="Pima Indians diabetes",
        shape=(768, 8),
        features=_names(
            "pregnancies, glucose, blood pressure, skin thickness, insulin, body mass index, diabetes pedigree, age"
        ),
        classes={"negative": "negative", "positive": "positive"},
        note=(
            "Zeros in glucose, blood pressure, skin thickness, insulin and body mass index (652 in all, 374 of them "
            "insulin) stand for values that nobody measured. They are kept by default; "
            "load_dataset(\"pima-indians\", zeros_as_missing=True) turns them into NaN. This is the paper's 'diabetes' too."
        ),
        citation=(
            "National Institute of Diabetes and Digestive and Kidney Diseases; donated by Vincent Sigillito (1990). "
            "J. W. Smith, J. E. Everhart, W. C. Dickson, W. C. Knowler and R. S. Johannes, Using the ADAP learning "
            "algorithm to forecast the onset of diabetes mellitus, 1988."
        ),
        sha256="46aff2883014dbd361f5098633264fdce1ead75120580312da0d980c4bb6ce3d",
        zeros_are_missing=_names("glucose, blood pressure, skin thickness, insulin, body mass index"),
    ),
    "promoters": CatalogueEntry(
        title="Molecular biology (E. coli promoter gene sequences)",
        shape=(106, 57),
        features=tuple(f"p{i}" for i in range(-50, 8) if i != 0),
        classes={"mm": "not a promoter", "pp": "promoter"},
        note="A nucleotide (a, c, g, t) at each position from -50 to +7 of where transcription begins; there is no p0.",
        citation=(
            "Donated by M. Noordewier and J. Shavlik (1990). C. Harley and R. Reynolds, Analysis of E. coli promoter "
            "sequences, Nucleic Acids Research 15, 1987."
        ),
        sha256="e25e6ed9d96dec0d80162a546e05a240b16798cfa3f7467b398cf958088214c6",
    ),
    "seeds": CatalogueEntry(
        title="Seeds of three kinds of wheat",
        shape=(140, 7),
        features=_names(
            "area, perimeter, compactness, length of kernel, width of kernel, asymmetry coefficient, "
            "length of kernel groove"
        ),
        classes={"1": "Kama", "2": "Rosa", "0": "Canadian"},
        default=("Kama", "Rosa"),
        note=(
            "The paper uses 140 samples, two of the three classes, and does not say which. We take Kama and Rosa, the "
            "first two in UCI's file. In five folds an SVM (RBF, C = 1) gets about 96 % of these right, 95 % of Kama and "
            "Canadian, and 100 % of Rosa and Canadian; the paper's SVM has 97.1 %, so its pair most likely has Kama in "
            'it. classes="all" gives all three.'
        ),
        citation=(
            "Donated by M. Charytanowicz, J. Niewczas, P. Kulczycki, P. A. Kowalski and S. Lukasik (2012); see M. "
            "Charytanowicz et al., A complete gradient clustering algorithm for features analysis of X-ray images, 2010."
        ),
        sha256="b30420860d7dcb72c0fcb789c68b4385596ed5c49f00623ed41106f0973cfba7",
    ),
    "sonar": CatalogueEntry(
        title="Connectionist bench (sonar, mines against rocks)",
        shape=(208, 60),
        features=_numbered(60),
        classes={"0": "rock", "1": "mine"},
        note="The energy of a sonar echo in 60 frequency bands, from low to high.",
        citation=(
            "Donated by Terry Sejnowski. R. P. Gorman and T. J. Sejnowski, Analysis of hidden units in a layered network "
            "trained to classify sonar targets, Neural Networks 1, 1988."
        ),
        sha256="2d3842c292ebe68d5ccbe653a4a8276b313d6d0bc94b21f9cfcb8dfa0f6dace7",
    ),
    "tic-tac-toe": CatalogueEntry(
        title="Tic-tac-toe endgames",
        shape=(958, 9),
        features=tuple(
            f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
        ),
        classes={"negative": "x does not win", "positive": "x wins"},
        note=(
            "Every board at the end of a game that x begins: x, o or b (blank) on nine squares. "
            "rule_sets.tic_tac_toe_endgames plays all games and finds the same 958 boards."
        ),
        citation="Created and donated by David W. Aha (1991).",
        sha256="262bf592c0c5444c736f4ab4855011502c77c3c369428f3debc95963a87ac469",
    ),
}
