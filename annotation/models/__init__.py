"""Rows of annotation: who labels what, what they said, what was agreed."""

from annotation.models.campaign import Campaign, Item, Rater, Task
from annotation.models.labelling import Assignment, Draft, Label, Sight
from annotation.models.settling import Consensus

__all__ = [
    "Assignment",
    "Campaign",
    "Consensus",
    "Draft",
    "Item",
    "Label",
    "Rater",
    "Sight",
    "Task",
]
