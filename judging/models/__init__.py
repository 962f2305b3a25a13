"""Rows of judging: what is asked, what was answered, what it means."""

from judging.models.evaluation import Evaluation, Finding, StepOutcome, Verdict
from judging.models.profile import Profile, ProfileVersion
from judging.models.taxonomy import Taxonomy, TaxonomyVersion

__all__ = [
    "Evaluation",
    "Finding",
    "Profile",
    "ProfileVersion",
    "StepOutcome",
    "Taxonomy",
    "TaxonomyVersion",
    "Verdict",
]
