"""The product's settings with the few changes that tests need."""

import os
import tempfile

os.environ.setdefault("AGENTEVAL_HOME", tempfile.mkdtemp(prefix="agenteval-tests-"))
os.environ.setdefault("SECRET_KEY", "only for tests")

from agenteval_web.settings import *  # noqa: E402, F403
from agenteval_web.settings import DATABASES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["*"]
CELERY_TASK_ALWAYS_EAGER = False
AGENTEVAL_DIGEST_DELAY = 0.0
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: several threads and a live server share it.
    DATABASES["default"]["TEST"] = {
        "NAME": os.path.join(os.environ["AGENTEVAL_HOME"], "test.sqlite3")  # noqa: PTH118
    }
else:
    DATABASES["default"]["OPTIONS"].pop("pool", None)
