"""What people type: checked here, done by services."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django import forms

from traces.models import ApiToken, Project

# Generic for the type checker only: at run time Django's class isn't.
if TYPE_CHECKING:
    ProjectModelForm = forms.ModelForm[Project]
else:
    ProjectModelForm = forms.ModelForm

LASTS = ((30, "30 days"), (90, "90 days"), (365, "a year"), (0, "until it is revoked"))


class ProjectForm(ProjectModelForm):
    """A new project."""

    class Meta:  # noqa: D106
        model = Project
        fields = ("name", "slug", "description")
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}
        labels = {"slug": "Short name"}
        help_texts = {"slug": "Stands in addresses. Letters, digits and hyphens."}


class ProjectSettingsForm(ProjectModelForm):
    """Name and description; the short name stays, because links hold it."""

    class Meta:  # noqa: D106
        model = Project
        fields = ("name", "description")
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


class TokenForm(forms.Form):
    """A new API token."""

    name = forms.CharField(
        max_length=100, help_text="Who will use it, for example “checkout agent”."
    )
    scope = forms.ChoiceField(
        choices=ApiToken.Scope, initial=ApiToken.Scope.INGEST, label="May"
    )
    days = forms.TypedChoiceField(
        choices=LASTS, coerce=int, initial=365, label="Works for"
    )

    def expires_at(self, now: datetime) -> datetime | None:
        """When the token ends, None for never."""
        days: int = self.cleaned_data["days"]
        return now + timedelta(days=days) if days else None


class MultipleFiles(forms.ClearableFileInput):
    """A file field that takes several."""

    allow_multiple_selected = True
