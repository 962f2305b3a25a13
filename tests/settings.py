"""The product's settings with the few changes that tests need."""

import atexit
import os
import shutil
import tempfile

if "AGENTEVAL_HOME" not in os.environ:
    # The processes of a parallel run inherit it from the one that made it.
    os.environ["AGENTEVAL_HOME"] = tempfile.mkdtemp(prefix="agenteval-tests-")
    atexit.register(shutil.rmtree, os.environ["AGENTEVAL_HOME"], ignore_errors=True)
os.environ.setdefault("SECRET_KEY", "only for tests")

from agenteval_web.settings import *  # noqa: F403
from agenteval_web.settings import DATABASES, HOME

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["*"]
AGENTEVAL_DIGEST_DELAY = 0.0
DATABASES["default"]["CONN_MAX_AGE"] = 0
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: several threads and a live server share it.
    DATABASES["default"]["TEST"] = {"NAME": str(HOME / "test.sqlite3")}
else:
    # Test databases are dropped, which a connection kept in a pool would hinder.
    DATABASES["default"]["OPTIONS"].pop("pool", None)
