"""The one place where units are converted."""

NS_PER_US = 1_000
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
MS_PER_S = 1_000


def ms_from_ns(duration_ns: float) -> float:
    return duration_ns / NS_PER_MS


def s_from_ns(duration_ns: float) -> float:
    return duration_ns / NS_PER_S


def ns_from_ms(duration_ms: float) -> int:
    return round(duration_ms * NS_PER_MS)


def ns_from_s(duration_s: float) -> int:
    return round(duration_s * NS_PER_S)


def ms_from_s(duration_s: float) -> float:
    return duration_s * MS_PER_S


def s_from_ms(duration_ms: float) -> float:
    return duration_ms / MS_PER_S
