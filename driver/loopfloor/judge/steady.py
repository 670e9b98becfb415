"""Is a trial the same from beginning to end? Medians over fifths of it, and what is left out where it is not."""

from itertools import pairwise

import numpy as np

from loopfloor.judge.normalise import Span, select_ok, select_requests
from loopfloor.model import Requests

FIFTHS = 5
BEARABLE_RATIO = 2.0  # shared machines change by half as a matter of course; a warm-up changes by more


def is_steady(requests: Requests, span: Span) -> bool:
    """Whether each fifth's median service time is within a factor of two of the median of them all."""
    ok = select_ok(requests)
    service_ns = ok.done_ns - ok.sent_ns
    edges = np.linspace(span.start_ns, span.end_ns, FIFTHS + 1)
    fifths = [service_ns[(ok.intended_ns >= low) & (ok.intended_ns < high)] for low, high in pairwise(edges)]
    medians = np.array([np.median(fifth) for fifth in fifths if len(fifth)])
    if len(medians) < FIFTHS - 1:
        return True  # too little was answered to say anything else
    ratios = medians / np.median(medians)
    return bool(ratios.max() <= BEARABLE_RATIO and ratios.min() >= 1 / BEARABLE_RATIO)


def leave_out_first(requests: Requests, span: Span) -> tuple[Requests, Span]:
    """Return what is left without the first fifth of the span."""
    start_ns = span.start_ns + (span.end_ns - span.start_ns) // FIFTHS
    return select_requests(requests, requests.intended_ns >= start_ns), Span(start_ns, span.end_ns)
