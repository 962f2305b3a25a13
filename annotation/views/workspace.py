"""Where experts label: one task at a time, complete without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agenteval_web.lib import markdown
from annotation.domain.answer import AnswerError
from annotation.models import Assignment, Campaign, Item, Rater
from annotation.selectors.campaigns import (
    assignment_for,
    campaigns_for,
    item_in,
    rater_for,
)
from annotation.selectors.workspace import (
    Progress,
    contents_by_item,
    progress_in,
    shown_step,
)
from annotation.services import labelling, queue
from annotation.services.blinding import reveal
from annotation.views.people import person
from judging.domain.taxonomy import Taxonomy, parse
from traces.models import Project
from traces.views.access import in_project

NOTHING = {
    "closed": "This campaign is closed.",
    "paused": "This campaign is paused.",
    "inactive": "You are no longer one of its raters.",
    "finished": "All tasks have the submissions they want. Thank you.",
    "done": "You have had every task you can take. Thank you.",
    "leased": "Others hold the tasks that are left.",
}


@require_POST
@in_project()
def next_task(request: HttpRequest, project: Project, campaign: int) -> HttpResponse:
    """Take the next task and go there; else to why there is none."""
    rater = _rater(request, project, campaign)
    task = queue.next_task(rater=rater, now=timezone.now())
    if isinstance(task, Assignment):
        return redirect("label", project.slug, campaign, task.pk)
    return redirect("label-nothing", project.slug, campaign)


@never_cache
@require_GET
@in_project()
def nothing(request: HttpRequest, project: Project, campaign: int) -> HttpResponse:
    """Why there is no task now."""
    rater = _rater(request, project, campaign)
    found = queue.why_nothing(rater=rater, now=timezone.now())
    if found is None:
        return redirect("campaign", project.slug, campaign)
    context = {
        "project": project,
        "campaign": rater.campaign,
        "nothing": found,
        "why": NOTHING[found.reason],
    }
    return render(request, "annotation/nothing.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@in_project()
def label(
    request: HttpRequest, project: Project, campaign: int, assignment: int
) -> HttpResponse:
    """One task of one's own."""
    own = assignment_for(person(request), assignment)
    if own is None or own.task.campaign_id != campaign:
        raise Http404
    if own.task.campaign.project_id != project.pk:
        raise Http404
    if request.method == "POST":
        return _posted(request, project, own)
    return _page(request, project, own, {})


def _page(
    request: HttpRequest,
    project: Project,
    own: Assignment,
    faults: Mapping[str, str],
    status: int = 200,
) -> HttpResponse:
    campaign = own.task.campaign
    asked = request.GET.get("item", request.POST.get("item", ""))
    place = progress_in(own, int(asked) if asked.isdecimal() else None)
    content = contents_by_item(own).get(place.current.pk, {})
    draft = own.drafts.filter(item=place.current).first()
    tree = parse(campaign.taxonomy_version.content)
    wanted = labelling.asked_of(campaign, place.current.type)
    context = {
        "project": project,
        "campaign": campaign,
        "assignment": own,
        "place": place,
        "shown": shown_step(own.task.trace, place.current.key),
        "content": content,
        "draft": draft,
        "faults": _faults_here(faults, place),
        "elsewhere": _faults_elsewhere(faults, place),
        "scores": _scores(campaign, place.current, wanted.metrics, content),
        "groups": _groups(tree),
        "guidelines": markdown.render(campaign.guidelines),
        "skips": Assignment.Skip.choices,
        "confidences": ((1, "Guess"), (2, "Fairly sure"), (3, "Sure")),
        "submitted": own.state == Assignment.State.SUBMITTED,
        "late": own.leased_until <= timezone.now(),
    }
    return render(request, "annotation/label.html", context, status=status)


def _posted(request: HttpRequest, project: Project, own: Assignment) -> HttpResponse:
    action = request.POST.get("action", "")
    now = timezone.now()
    campaign = own.task.campaign_id
    try:
        if action == "skip":
            labelling.skip(
                assignment=own,
                reason=request.POST.get("reason", ""),
                note=request.POST.get("note", ""),
                now=now,
            )
            return _onward(request, project, campaign)
        if action == "release":
            queue.release(assignment=own, now=now)
            return redirect("campaign", project.slug, campaign)
        item = _keep(request, own)
        if action == "submit":
            labelling.submit(assignment=own, contents=contents_by_item(own), now=now)
            return _onward(request, project, campaign)
    except AnswerError as error:
        return _page(request, project, own, error.faults, status=422)
    except labelling.ConflictError as error:
        messages.error(request, str(error))
        return _page(request, project, own, {}, status=409)
    address = reverse("label", args=(project.slug, campaign, own.pk))
    return redirect(f"{address}?item={item.pk}")


def _onward(request: HttpRequest, project: Project, campaign: int) -> HttpResponse:
    """To the next task at once: the reader has just posted."""
    return next_task(request, project=project.slug, campaign=campaign)


def _keep(request: HttpRequest, own: Assignment) -> Item:
    """Keep the fields of the posted form as a draft; the item to show next."""
    item = _item(own, request.POST.get("item", ""))
    if item is None:
        raise Http404
    draft = own.drafts.filter(item=item).first()
    version = request.POST.get("version", "")
    labelling.save_draft(
        assignment=own,
        item=item,
        content=read_form(request.POST),
        version=int(version)
        if version.isdecimal()
        else (draft.version if draft else 0),
        active_ms=0,
        now=timezone.now(),
    )
    return _item(own, request.POST.get("action", "").removeprefix("item-")) or item


def _item(own: Assignment, pk: str) -> Item | None:
    return item_in(own, int(pk)) if pk.isdecimal() else None


def read_form(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the form as a draft has them."""
    metrics = {
        name.removeprefix("metric-"): int(value)
        for name, value in form.items()
        if name.startswith("metric-") and value.isdecimal()
    }
    score, confidence = form.get("score", ""), form.get("confidence", "")
    return {
        "score": int(score) if score.isdecimal() else None,
        "metrics": metrics,
        "category": form.get("category", ""),
        "is_root": form.get("is_root") == "on",
        "comment": form.get("comment", "").replace("\r\n", "\n"),
        "confidence": int(confidence) if confidence.isdecimal() else None,
        "guideline_gap": form.get("guideline_gap") == "on",
    }


def _rater(request: HttpRequest, project: Project, campaign: int) -> Rater:
    found = campaigns_for(request.user, project).filter(pk=campaign).first()
    rater = rater_for(person(request), found) if found else None
    if rater is None:
        raise Http404
    return rater


def _faults_here(faults: Mapping[str, str], place: Progress) -> dict[str, str]:
    """Faults of the item shown, by field."""
    start = f"{place.current.pk}."
    return {k.removeprefix(start): v for k, v in faults.items() if k.startswith(start)}


def _faults_elsewhere(faults: Mapping[str, str], place: Progress) -> list[Item]:
    """Other items of the task that lack something."""
    named = {name.partition(".")[0] for name in faults}
    others = (item for item, _ in place.items if item != place.current)
    return [item for item in others if str(item.pk) in named]


def _scores(
    campaign: Campaign, item: Item, metrics: tuple[str, ...], content: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Rows of score buttons with the wording of each level."""
    levels = campaign.rubric.get("levels", {}).get(item.type, {})
    if not metrics:
        given = content.get("score")
        return [_score_row("score", "Score", levels.get("overall", {}), given)]
    scores = content.get("metrics") or {}
    return [
        _score_row(
            f"metric-{name}",
            name.replace("_", " ").capitalize(),
            levels.get(name, {}),
            scores.get(name),
        )
        for name in metrics
    ]


def _score_row(
    name: str, title: str, levels: Mapping[str, str], given: int | None
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "field": name.replace("metric-", "metrics."),
        "levels": [
            (score, levels.get(str(score), ""), given == score) for score in range(1, 6)
        ],
    }


def _groups(tree: Taxonomy) -> list[tuple[str, list[dict[str, str]]]]:
    """Categories of the lowest level under the names of those above."""
    groups: dict[str, list[dict[str, str]]] = {}
    for leaf in tree.at_level(3):
        *above, name = tree.names(leaf.id)
        groups.setdefault(" › ".join(above), []).append(
            {
                "id": leaf.id,
                "name": name,
                "definition": leaf.definition,
                "use_when": leaf.use_when,
                "avoid_when": leaf.avoid_when,
            }
        )
    return list(groups.items())


@require_POST
@in_project()
def look(request: HttpRequest, project: Project) -> HttpResponse:
    """Let a rater see the judge's opinion; their later labels are not blind."""
    trace_id = request.POST.get("trace") or None
    reveal(
        user=person(request),
        project=project.slug,
        trace_id=trace_id,
        now=timezone.now(),
    )
    if trace_id is not None:
        return redirect("trace", project.slug, trace_id)
    return redirect("traces", project.slug)
