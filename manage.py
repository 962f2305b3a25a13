#!/usr/bin/env python
"""Run a management command."""

import os
import sys


def main() -> None:
    """Hand the command line to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agenteval_web.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__":
    # A helper process of a command: Python loads this file there under this name.
    from agenteval_web.lib.processes import follow_parent

    follow_parent()
