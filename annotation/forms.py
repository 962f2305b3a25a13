"""What people type to make a campaign."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User

from annotation.models import Campaign
from annotation.services.campaigns import LABELLERS, Plan
from annotation.services.choosing import Wish
from traces.domain.query import parse
from traces.models import Membership, Project, Trace
from traces.query_filters import Reader, condition


class CampaignForm(forms.Form):
    """A new campaign: what, how, who."""

    name = forms.CharField(max_length=200)
    query = forms.CharField(
        required=False,
        max_length=1_000,
        label="Traces",
        help_text="A filter as in the trace list, for example workflow:refunds. "
        "Empty for all.",
    )
    failures_only = forms.BooleanField(
        required=False, label="Only traces with a failed step"
    )
    count = forms.IntegerField(
        min_value=1, max_value=5_000, initial=50, label="Traces to draw at most"
    )
    unit = forms.ChoiceField(choices=Campaign.Unit, label="A task is")
    metrics = forms.ChoiceField(choices=Campaign.Metrics, label="A step gets")
    overlap = forms.IntegerField(
        min_value=1, max_value=20, initial=2, label="Independent raters a task"
    )
    overlap_percent = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=100,
        label="Traces rated that often, %",
        help_text="The others are rated once.",
    )
    blind_judge = forms.BooleanField(
        required=False, initial=True, label="Hide the judge until submission"
    )
    guidelines = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Markdown. Frozen with the campaign.",
    )
    lease_minutes = forms.IntegerField(
        min_value=1,
        max_value=1_440,
        initial=30,
        label="A task is held for, minutes",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31, initial=0)
    due_at = forms.DateTimeField(
        required=False,
        label="Due",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )
    raters = forms.ModelMultipleChoiceField(
        User.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Members with a role that labels. More can join later.",
    )

    def __init__(self, *args: Any, project: Project, **rest: Any) -> None:
        """Offer the members of a project."""
        super().__init__(*args, **rest)
        self.project = project
        members = Membership.objects.filter(project=project, role__in=LABELLERS)
        people = User.objects.filter(pk__in=members.values("user"), is_active=True)
        raters = self.fields["raters"]
        if isinstance(raters, forms.ModelMultipleChoiceField):
            raters.queryset = people.order_by("username")

    def clean_query(self) -> str:
        """A filter without faults."""
        text = str(self.cleaned_data["query"])
        problems = parse(text).problems
        if problems:
            raise forms.ValidationError(problems[0].reason)
        return text

    def wish(self, reader: Reader) -> Wish:
        """What was typed, once it is valid."""
        said = self.cleaned_data
        traces = Trace.objects.filter(project=self.project)
        for term in parse(said["query"]).terms:
            traces = traces.filter(condition(term, reader))
        return Wish(
            plan=Plan(
                name=said["name"],
                unit=said["unit"],
                metrics=said["metrics"],
                guidelines=said["guidelines"].replace("\r\n", "\n"),
                overlap=said["overlap"],
                overlap_share=said["overlap_percent"] / 100,
                blind_judge=said["blind_judge"],
                lease_minutes=said["lease_minutes"],
                seed=said["seed"],
                due_at=said["due_at"],
            ),
            traces=traces,
            query=said["query"],
            count=said["count"],
            failures_only=said["failures_only"],
            raters=list(said["raters"]),
        )
