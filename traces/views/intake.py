"""How traces come in: uploading files, and what was refused at the door."""

from __future__ import annotations

import re
from typing import BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods

from traces.domain.records import Reject
from traces.importers import AUTO, IMPORTERS
from traces.intake_selectors import rejects, sources
from traces.models import Project
from traces.services.imports import ImportReport, import_file
from traces.views.access import ADDERS, in_project


@require_http_methods(["GET", "POST"])
@in_project(ADDERS)
def upload(request: HttpRequest, project: Project) -> HttpResponse:
    """Take files in; scripts send one at a time and get its result alone."""
    chosen = request.POST.get("format", AUTO)
    format_name = chosen if chosen in IMPORTERS else AUTO
    files = request.FILES.getlist("file")
    context = {
        "project": project,
        "results": [_take_in(project, file, format_name) for file in files],
        "formats": [(name, known.LABEL) for name, known in IMPORTERS.items()],
        "limit": filesizeformat(settings.AGENTEVAL_MAX_BODY),
    }
    alone = request.headers.get("X-Requested-With") == "fetch"
    template = "traces/_upload_results.html" if alone else "traces/upload.html"
    return render(request, template, context)


def _take_in(
    project: Project, file: UploadedFile[bytes], format_name: str
) -> ImportReport:
    name = file.name or ""
    if (file.size or 0) > settings.AGENTEVAL_MAX_BODY:
        return _too_large(name)
    now = timezone.now()
    stream = cast("BinaryIO", file.file)
    try:
        return import_file(
            project=project, stream=stream, name=name, format=format_name, now=now
        )
    except Project.DoesNotExist as error:
        raise Http404 from error


def _too_large(name: str) -> ImportReport:
    limit = filesizeformat(settings.AGENTEVAL_MAX_BODY)
    reason = f"The file is larger than {limit}. Use import_traces or split it."
    report = ImportReport(name)
    report.refuse(Reject("file", name, reason, "too_large"))
    return report


@require_GET
@in_project()
def ingestion(request: HttpRequest, project: Project) -> HttpResponse:
    """What arrived, what was refused and why."""
    code = request.GET.get("code", "").replace("\0", "")
    found = rejects(project, code, _before(request))
    older = {"code": code, "before": str(found.before)}
    context = {
        "project": project,
        "rejects": found,
        "code": code,
        "sources": sources(project),
        "next_url": "?" + urlencode(older) if found.before else "",
    }
    return render(request, "settings/ingestion.html", context)


def _before(request: HttpRequest) -> int:
    """Id to go on from; 0 for the newest and for nonsense."""
    text = request.GET.get("before", "")
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0
