"""Everything configurable, read from the environment; runs with nothing set."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from agenteval_web import env

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = Path(env.text("AGENTEVAL_HOME", str(BASE_DIR / ".agenteval"))).resolve()

DEBUG = env.flag("DEBUG")
HTTPS = env.flag("AGENTEVAL_HTTPS")
ALLOWED_HOSTS = env.listed("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.listed("CSRF_TRUSTED_ORIGINS")


def _secret_key() -> str:
    """The key from the environment, else one made once in the data folder."""
    given = env.text("SECRET_KEY")
    if given:
        return given
    path = HOME / "secret_key"
    # Made whole under another name: of two that start at once, both get the same
    # key, and never half of it.
    made = HOME / f"secret_key.{os.getpid()}"
    try:
        if not path.exists():
            HOME.mkdir(parents=True, exist_ok=True)
            made.touch(mode=0o600)
            made.write_text(secrets.token_urlsafe(64), "utf-8")
            with suppress(FileExistsError):
                path.hardlink_to(made)
            made.unlink()
        return path.read_text("utf-8").strip()
    except OSError as error:
        env.problems.append(f"AGENTEVAL_HOME: {error.strerror}: {HOME}")
        return secrets.token_urlsafe(64)


SECRET_KEY = _secret_key()

INSTALLED_APPS = [
    "agenteval_web.apps.WebConfig",
    "traces.apps.TracesConfig",
    "judging.apps.JudgingConfig",
    "annotation.apps.AnnotationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "annotation.middleware.BlindMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "agenteval_web.urls"
ASGI_APPLICATION = "agenteval_web.asgi.application"
WSGI_APPLICATION = "agenteval_web.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Database. SQLite: one writer at a time, begun at once (IMMEDIATE) so that nobody
# fails on upgrading a read lock. A commit returns when it is on disk (FULL), even
# if the power fails; that costs one sync, and commits are grouped.
SQLITE_START = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;"
    "PRAGMA mmap_size=268435456; PRAGMA cache_size=-8000;"
    "PRAGMA wal_autocheckpoint=1000;"
)


def _database() -> dict[str, Any]:
    url = env.text("DATABASE_URL") or f"sqlite:///{HOME / 'db.sqlite3'}"
    try:
        found: dict[str, Any] = {**dj_database_url.parse(url)}
    except (ValueError, KeyError) as error:
        env.problems.append(f"DATABASE_URL: {error}")
        found = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    options = found.setdefault("OPTIONS", {})
    if found["ENGINE"].endswith("sqlite3"):
        found["CONN_MAX_AGE"] = None  # opening one costs more than most queries
        options |= {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": SQLITE_START,
        }
    elif found["ENGINE"].endswith("postgresql"):
        most = env.integer("AGENTEVAL_DATABASE_POOL", 20, lowest=1)
        found |= {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
        options["pool"] = {"min_size": 1, "max_size": most, "timeout": 30}
    return found


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Work that goes on behind the pages.
REDIS_URL = env.text("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Workers answer no remote commands: nobody sends any, and it costs connections.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_timeout": 5, "socket_connect_timeout": 5}
    if REDIS_URL
    else {"polling_interval": 0.1}
)
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": (
        {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL]},
        }
        if REDIS_URL
        else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    )
}

# Judges that answer over the network; without a model the offline checks judge.
OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
AGENTEVAL_JUDGE_MODELS = env.listed("AGENTEVAL_JUDGE_MODELS")
AGENTEVAL_JUDGE_CALLS = env.integer("AGENTEVAL_JUDGE_CALLS", 64, lowest=1)

# People.
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "projects"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Security. Strict everywhere; what needs TLS follows AGENTEVAL_HTTPS.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "manifest-src": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "agenteval_session"
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"

# Time and language.
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False

# Static files, served by the product itself straight from their folders. Their
# address holds a digest of all of them, so that browsers may keep them for good and
# never mix two versions.
STATIC_FOLDERS = sorted(
    folder
    for folder in (BASE_DIR / "static").iterdir()
    if folder.is_dir() and folder.name != "src"
)


def _static_version() -> str:
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(p for folder in STATIC_FOLDERS for p in folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(BASE_DIR)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


STATIC_URL = f"/static/{_static_version()}/"
STATICFILES_DIRS = [(folder.name, folder) for folder in STATIC_FOLDERS]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if DEBUG else 365 * 24 * 3600
WHITENOISE_IMMUTABLE_FILE_TEST = "^$" if DEBUG else f"^{STATIC_URL}"

# API.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "traces.api_auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["agenteval_web.lib.rendering.FastJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "agenteval_web.lib.api.handle_error",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "AgentEval",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
}

# Limits. Each is documented in docs/operating.md.
AGENTEVAL_MAX_BODY = env.size("AGENTEVAL_MAX_BODY", 64 * 1024**2)
AGENTEVAL_MAX_DECOMPRESSED = env.size("AGENTEVAL_MAX_DECOMPRESSED", 256 * 1024**2)
AGENTEVAL_MAX_ATTRIBUTE = env.size("AGENTEVAL_MAX_ATTRIBUTE", 1024**2)
AGENTEVAL_MAX_DEPTH = env.integer("AGENTEVAL_MAX_DEPTH", 100, lowest=1)
AGENTEVAL_MAX_SPANS_PER_REQUEST = env.integer(
    "AGENTEVAL_MAX_SPANS_PER_REQUEST", 100_000, lowest=1
)
AGENTEVAL_DIGEST_DELAY = env.number("AGENTEVAL_DIGEST_DELAY", 1.0)
DATA_UPLOAD_MAX_MEMORY_SIZE = AGENTEVAL_MAX_BODY

LEVELS = ("WARNING", "DEBUG", "INFO", "ERROR", "CRITICAL")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    # What a client did wrong is told to the client; it is no event of ours.
    "loggers": {"django.request": {"level": "ERROR"}},
    "root": {"handlers": ["stderr"], "level": env.choice("LOG_LEVEL", LEVELS)},
}
