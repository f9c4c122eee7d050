"""What the paper's tables say: seconds, peak BDD nodes, refinements, predicates, conclusive.

Measured by its authors on a 2.0 GHz T6400 with 2 GB. None: not applicable, or over an hour.
"""

from __future__ import annotations

from typing import NamedTuple


class Figures(NamedTuple):
    """A row of a table."""

    time_s: float | None
    nodes: int | None
    refinements: int | None
    predicates: int | None
    conclusive: bool


class Table(NamedTuple):
    """A table: a model, and per method and size the figures."""

    title: str
    model: str
    options: tuple[str, ...]
    rows: dict[tuple[str, int], Figures]


METHODS = {
    "TMMCIR": "tmmcir",
    "SPLIT": "local-proof",
    "AFR": "afr",
    "NuSMV": None,
    "TMMC": "tmmc-printed",
}
"""The paper's methods, and our engines for them."""

N, Y = False, True

TABLES = (
    Table(
        "Table 1: MUX-SEM",
        "mux_sem",
        (),
        {
            ("TMMCIR", 20): Figures(0.064, 45990, 1, 40, Y),
            ("SPLIT", 20): Figures(0.887, 331128, 1, 38, Y),
            ("AFR", 20): Figures(0.064, 45990, None, None, Y),
            ("NuSMV", 20): Figures(0.144, 141036, None, None, Y),
            ("TMMC", 20): Figures(0.032, 20440, None, None, N),
            ("TMMCIR", 50): Figures(0.580, 401646, 1, 100, Y),
            ("SPLIT", 50): Figures(12.187, 4555054, 1, 98, Y),
            ("AFR", 50): Figures(3.320, 1242752, None, None, Y),
            ("NuSMV", 50): Figures(3.412, 2444624, None, None, Y),
            ("TMMC", 50): Figures(0.228, 203378, None, None, N),
            ("TMMCIR", 100): Figures(5.536, 1510344, 1, 200, Y),
            ("SPLIT", 100): Figures(207.233, 57265726, 1, 198, Y),
            ("AFR", 100): Figures(208.561, 3059868, None, None, Y),
            ("NuSMV", 100): Figures(614.806, 4762520, None, None, Y),
            ("TMMC", 100): Figures(4.200, 2057907, None, None, N),
            ("TMMCIR", 200): Figures(27.966, 2439514, 1, 400, Y),
            ("TMMCIR", 300): Figures(145.093, 5767146, 1, 600, Y),
        },
    ),
    Table(
        "Table 2: MUX-SEM-LAST",
        "mux_sem_last",
        (),
        {
            ("TMMCIR", 50): Figures(1.548, 1263192, 1, 100, Y),
            ("SPLIT", 50): Figures(4.047, 3219300, 0, 0, Y),
            ("AFR", 50): Figures(87.297, 2480394, None, None, Y),
            ("NuSMV", 50): Figures(189.900, 3113012, None, None, Y),
            ("TMMC", 50): Figures(0.624, 488516, None, None, N),
            ("TMMCIR", 100): Figures(12.945, 4143188, 1, 200, Y),
            ("SPLIT", 100): Figures(36.557, 28470876, 0, 0, Y),
            ("AFR", 100): Figures(None, None, None, None, N),
            ("NuSMV", 100): Figures(None, None, None, None, N),
            ("TMMC", 100): Figures(6.636, 2454844, None, None, N),
        },
    ),
    Table(
        "Table 3: MUX-SEM-COUNT",
        "mux_sem_count",
        ("-D", "M=8"),
        {
            ("TMMCIR", 10): Figures(0.020, 14308, 1, 20, Y),
            ("SPLIT", 10): Figures(0.321, 100019, 1, 18, Y),
            ("AFR", 10): Figures(5.996, 617288, None, None, Y),
            ("NuSMV", 10): Figures(2.288, 1030176, None, None, Y),
            ("TMMC", 10): Figures(0.016, 10220, None, None, N),
            ("TMMCIR", 20): Figures(0.104, 122640, 1, 40, Y),
            ("SPLIT", 20): Figures(2.520, 930020, 1, 38, Y),
            ("AFR", 20): Figures(1584.179, 2634716, None, None, Y),
            ("NuSMV", 20): Figures(3914.385, 159986, None, None, Y),
            ("TMMC", 20): Figures(0.044, 47012, None, None, N),
        },
    ),
    Table(
        "Table 4: bakery",
        "bakery",
        (),
        {
            ("TMMCIR", 4): Figures(0.100, 96068, 0, 0, Y),
            ("SPLIT", 4): Figures(0.267, 218708, 0, 0, Y),
            ("AFR", 4): Figures(0.084, 91980, None, None, Y),
            ("NuSMV", 4): Figures(0.140, 106288, None, None, Y),
            ("TMMC", 4): Figures(0.100, 96068, None, None, Y),
            ("TMMCIR", 8): Figures(26.246, 2389436, 0, 0, Y),
            ("SPLIT", 8): Figures(75.141, 26776400, 0, 0, Y),
            ("AFR", 8): Figures(240.555, 4258674, None, None, Y),
            ("NuSMV", 8): Figures(1282.984, 25237268, None, None, Y),
            ("TMMC", 8): Figures(25.780, 2389436, None, None, Y),
        },
    ),
    Table(
        "Table 5: dining philosophers",
        "philosophers_four_steps",
        (),
        {
            ("TMMCIR", 6): Figures(0.104, 85848, 3, 12, Y),
            ("SPLIT", 6): Figures(0.320, 158410, 3, 6, Y),
            ("AFR", 6): Figures(0.016, 14308, None, None, Y),
            ("NuSMV", 6): Figures(0.036, 17374, None, None, Y),
            ("TMMC", 6): Figures(0.008, 7154, None, None, N),
            ("TMMCIR", 8): Figures(1.028, 367920, 3, 16, Y),
            ("SPLIT", 8): Figures(16.442, 1176322, 5, 10, Y),
            ("AFR", 8): Figures(0.236, 243236, None, None, Y),
            ("NuSMV", 8): Figures(0.236, 223818, None, None, Y),
            ("TMMC", 8): Figures(0.020, 24528, None, None, N),
            ("TMMCIR", 10): Figures(15.981, 1475768, 3, 20, Y),
            ("SPLIT", 10): Figures(5274.488, 4193266, 6, 11, Y),
            ("AFR", 10): Figures(2.592, 1815434, None, None, Y),
            ("NuSMV", 10): Figures(3.556, 1739444, None, None, Y),
            ("TMMC", 10): Figures(0.052, 48034, None, None, N),
        },
    ),
)
