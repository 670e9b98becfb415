"""The loop over the trials: the only room that knows several stages of measuring."""

from loopfloor.measure.campaign.campaign import Campaign

__all__ = ["Campaign"]
