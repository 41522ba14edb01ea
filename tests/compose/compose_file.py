"""Reads docker-compose.yml as Compose does, and the image's environment from the Dockerfile."""

import re
from pathlib import Path
from typing import Any

import yaml

_VARIABLE = re.compile(r"\$(?:(\$)|\{([A-Z0-9_]+)(?:(:[?-])([^}]*))?\})")
_RIGHTS = ("privileged", "network_mode", "pid", "cap_add", "ipc", "env_file", "userns_mode", "devices", "group_add")
_NO_LOCK = re.compile(r"(AUTH_METHOD=trust|(ANONYMOUS_ENABLED|ALLOW_SIGN_UP|ALL_ADMINS)=true)$", re.IGNORECASE)
_ENV = re.compile(r'(\w+)=("[^"]*"|\S+)')


class RefusedError(Exception):
    """A variable that must have a value has none."""


def interpolated(value: Any, variables: dict[str, str]) -> Any:
    """A part of the file with its variables filled in.

    The rules: https://docs.docker.com/reference/compose-file/interpolation/

    Raises:
        RefusedError: a variable that has to be set is not, or is empty.
    """
    if isinstance(value, dict):
        return {name: interpolated(each, variables) for name, each in value.items()}
    if isinstance(value, list):
        return [interpolated(each, variables) for each in value]
    return _VARIABLE.sub(lambda found: _filled(found, variables), value) if isinstance(value, str) else value


def _filled(found: re.Match[str], variables: dict[str, str]) -> str:
    dollar, name, operator, text = found.groups()
    if dollar:
        return "$"
    value = variables.get(name, "")
    if not value and operator == ":?":
        raise RefusedError(f"required variable {name} is missing a value: {text}")
    return value or (text if operator == ":-" else "")


def variables(text: str) -> dict[str, str]:
    """What a `.env` file says."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def read(text: str) -> dict[str, Any]:
    """The file, with its anchors resolved and its variables as they are."""
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def image_environment(dockerfile: Path) -> dict[str, str]:
    """What the last stage's `ENV` sets."""
    text = dockerfile.read_text(encoding="utf-8").rsplit("\nFROM ", 1)[1].replace("\\\n", " ")
    instructions = [line.removeprefix("ENV ") for line in text.splitlines() if line.startswith("ENV ")]
    return {name: value.strip('"') for line in instructions for name, value in _ENV.findall(line)}


def problems(compose: dict[str, Any]) -> list[str]:
    """What a reader who cares for security, and for `up --wait`, would not let pass, each in one sentence."""
    services = compose["services"]
    awaited = {
        name
        for each in services.values()
        for name, condition in each.get("depends_on", {}).items()
        if condition["condition"] == "service_completed_successfully"
    }
    found = []
    for name, service in services.items():
        found += [f"{name}: {each}" for each in _of_service(service)]
        found += [f"{name}: {each}" for each in _of_secrets(service.get("environment", {}))]
        if name in awaited:
            if service.get("restart") != "no":
                found.append(f"{name}: a one-shot service is started again and again")
        elif "test" not in service.get("healthcheck", {}):
            found.append(f"{name}: has no health check")
        for other, condition in service.get("depends_on", {}).items():
            if condition["condition"] == "service_started":
                found.append(f"{name}: does not wait until {other} is ready")
        named = [volume.split(":")[0] for volume in service.get("volumes", [])]
        found += [f"{name}: the volume {each} has no name" for each in named if each[0] == "/"]
    return found


def _of_service(service: dict[str, Any]) -> list[str]:
    found = []
    image = service.get("image", "")
    if not re.search(r":v?\d+\.\d+(\.\d+)?[\w.-]*$", image):
        found.append(f"the tag of {image} is not exact")
    found += [
        f"{port} is open to the network" for port in service.get("ports", []) if not port.startswith("127.0.0.1:")
    ]
    own = image.startswith("rowgate")
    if str(service.get("user", "10001" if own else "root")).split(":")[0] in ("root", "0"):
        found.append("runs as root")
    if service.get("cap_drop") != ["ALL"]:
        found.append("keeps capabilities")
    if service.get("security_opt") != ["no-new-privileges:true"]:
        found.append("can gain privileges")
    if service.get("read_only") is not True:
        found.append("can write into its image")
    found += [f"has {key}" for key in _RIGHTS if key in service]
    for source, *_, how in (volume.split(":") for volume in service.get("volumes", [])):
        if source[0] in "/~" or source.startswith(".."):
            found.append(f"mounts {source} of this machine")
        elif source[0] == "." and how != "ro":
            found.append(f"can write into {source}")
    found += [
        f"is run with {each}" for each in service.get("command", []) if "admin-api" in each or "lifecycle" in each
    ]
    if own and not ("build" in service or service.get("pull_policy") == "never"):
        found.append("would fetch the project's own image from a registry")
    return found


def _of_secrets(environment: dict[str, Any]) -> list[str]:
    """What lets in who has no secret: none is asked for, or it is a text, or a variable that may be left empty."""
    found = []
    for name, value in environment.items():
        if _NO_LOCK.search(f"{name}={value}"):
            found.append(f"{name} lets anybody in")
        secret = re.search(r"PASSWORD$|SECRET|FERNET|_KEY$|_KEY_ID$|TOKEN", name)
        if secret and not re.fullmatch(r"\$\{[A-Z_]+:\?run make env\}", str(value)):
            found.append(f"{name} is not demanded from .env")
        for inside in re.findall(r'"(?:password|login)": "([^"]*)"|//\w+:([^@]*)@', str(value)):
            given = "".join(inside)
            if given not in ("warehouse", "reader") and not re.fullmatch(r"\$\{[A-Z_]+:\?run make env\}", given):
                found.append(f"{name} holds a password that is not demanded from .env")
    return found
