"""Rows of judging: what is asked, what was answered, what it means."""

from judging.models.batch import Batch, EndpointMemory, JudgeKey, Spend
from judging.models.evaluation import (
    Evaluation,
    Finding,
    JudgeAnswer,
    StepOutcome,
    Verdict,
)
from judging.models.profile import Profile, ProfileVersion
from judging.models.taxonomy import Taxonomy, TaxonomyVersion

__all__ = [
    "Batch",
    "EndpointMemory",
    "Evaluation",
    "Finding",
    "JudgeAnswer",
    "JudgeKey",
    "Profile",
    "ProfileVersion",
    "Spend",
    "StepOutcome",
    "Taxonomy",
    "TaxonomyVersion",
    "Verdict",
]
