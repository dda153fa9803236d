"""How far a measured share can be trusted, and whether two of them differ by more than chance.

Both formulas are a few lines of the standard library, so that measuring needs no further package;
the tests hold them against SciPy.
"""

from math import comb, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95


def wilson_interval(
    right: float, total: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """The interval that holds the true share, where `right` of `total` were observed.

    Unlike the share plus and minus its standard error, it stays between 0 and 1 and holds for a
    few dozen questions and for shares near 1, which is what one has here.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927), 209-212.

    Args:
        right: how many were right; a fraction where a question was asked several times.
        total: how many questions there were.
        confidence: how often such an interval holds the true share.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = right / total
    middle = share + z * z / (2 * total)
    margin = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (middle - margin) / scale), min(1.0, (middle + margin) / scale)


def mcnemar(better: int, worse: int) -> float:
    """The chance of a split at least this uneven if neither measurement were the better one.

    Only the questions that turned count: each would turn either way like a tossed coin. This is
    the exact, two-sided test.

    Source: Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947), 153-157.

    Args:
        better: questions that turned from wrong to right.
        worse: questions that turned from right to wrong.
    """
    turned = better + worse
    tail = sum(comb(turned, count) for count in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << turned))
