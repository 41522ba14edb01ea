"""Who we are to AWS, or to a server that speaks its protocol, and what it refuses, in one sentence.

The sentences name an error's code alone: the server's own words may quote a key's id.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import botocore.exceptions as aws_errors
import urllib3.exceptions

from rowgate.errors import RowgateError, UnusableError

if TYPE_CHECKING:
    import boto3

_KEYS = "correct them in the connection aws_default, or in the environment"
_POLICY = "give them what infra/terraform/pipeline-policy.json allows"

# What no retry heals, by the code of the answer: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
_LASTING = {
    **dict.fromkeys(
        (
            "InvalidAccessKeyId",
            "SignatureDoesNotMatch",
            "InvalidClientTokenId",
            "UnrecognizedClientException",
            "XAdminUserNotFound",  # what versitygw says of a key that nobody has
        ),
        f"the server does not know these keys; {_KEYS}",
    ),
    **dict.fromkeys(
        ("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken", "RequestExpired"),
        "the session token has expired or is not valid; get a new one, and put it where the keys are",
    ),
    **dict.fromkeys(
        ("AccessDenied", "AccessDeniedException", "AllAccessDisabled", "403", "Forbidden"),
        f"these keys may not do that; {_POLICY}",
    ),
    **dict.fromkeys(("NoSuchBucket", "InvalidBucketName"), "there is no such bucket; make it, or name another"),
    "RequestTimeTooSkewed": "this machine's clock differs from the server's by more than it takes; set the clock",
    **dict.fromkeys(
        ("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301"),
        "the bucket is in another region; name it as region_name in the connection aws_default, or in AWS_REGION",
    ),
}
_HEALING = {
    **dict.fromkeys(("NoSuchKey", "404"), "there is no such file"),
    **dict.fromkeys(
        ("SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "503", "ServiceUnavailable"),
        "the server asks to slow down, also after several tries; run it again later",
    ),
    "PreconditionFailed": "it was replaced while it was being read; run it again",
    "NoSuchUpload": "the server has forgotten the upload; run it again",
}
_NOBODY = (
    aws_errors.NoCredentialsError,
    aws_errors.PartialCredentialsError,
    aws_errors.ProfileNotFound,
    aws_errors.TokenRetrievalError,
    aws_errors.UnauthorizedSSOTokenError,
)
_UNREACHABLE = (
    aws_errors.ConnectionError,  # no way there
    aws_errors.HTTPClientError,  # a connection broken or too slow
    aws_errors.CredentialRetrievalError,  # a role's keys, which come over the network too
    aws_errors.ResponseStreamingError,
    aws_errors.IncompleteReadError,
    aws_errors.FlexibleChecksumError,
    urllib3.exceptions.HTTPError,
    OSError,
)


@dataclass(frozen=True)
class Aws:
    """Who speaks to AWS, and where. Keys left empty are looked for by whoever speaks: a profile, the machine's role.

    Attributes:
        key: the access key's id.
        secret: the secret access key.
        token: the session token of keys that expire.
        region: such as `eu-central-1`; empty where the default will do.
        endpoint: the address of a server that is not Amazon's; empty for Amazon's own.
    """

    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    region: str = ""
    endpoint: str = ""

    def session(self) -> "boto3.Session":
        """A session of these keys.

        Raises:
            UnusableError: nothing says who speaks, such as a profile that is not there.
        """
        import boto3  # noqa: PLC0415 - takes a while

        with told("reached", "AWS"):
            return boto3.Session(self.key or None, self.secret or None, self.token or None, self.region or None)

    def environment(self) -> dict[str, str]:
        """The variables that say the same to a child process: boto3 and the SDK of Java read them.

        It holds secrets: hand it on as an environment only. Where there are keys there is a token too, if only an empty
        one, so that they never meet the token of other keys in the parent's environment.
        """
        found: dict[str, str] = {}
        if self.key:
            found |= {
                "AWS_ACCESS_KEY_ID": self.key,
                "AWS_SECRET_ACCESS_KEY": self.secret,
                "AWS_SESSION_TOKEN": self.token,
                "AWS_SECURITY_TOKEN": "",  # the token's former name
            }
        if self.region:
            found |= {"AWS_REGION": self.region, "AWS_DEFAULT_REGION": self.region}
        if self.endpoint:
            found |= {"AWS_ENDPOINT_URL_S3": self.endpoint}
        return found


@contextmanager
def told(done: str, place: str) -> Iterator[None]:
    """Turn what the server or the way to it refuses into one sentence; whoever talks to AWS does it in here.

    Args:
        done: what could not be done to it: `read`, `written`, `listed`, `deleted`, `reached`.
        place: the address.

    Raises:
        UnusableError: what no retry heals: wrong keys, a missing bucket, an expired token, a clock that is wrong.
        RowgateError: everything else.
    """
    _hush()
    try:
        yield
    except aws_errors.ClientError as error:
        code = re.sub(r"[^A-Za-z0-9.]", "", str(error.response.get("Error", {}).get("Code", "")))[:60]
        kind: type[RowgateError] = UnusableError if code in _LASTING else RowgateError
        why = _LASTING.get(code) or _HEALING.get(code) or "run it again later, or see what the server's log says"
        raise kind(f"{place} cannot be {done}: {why} ({code or 'no code'}).") from None
    except _NOBODY as error:
        why = f"nothing says whose keys to use; {_KEYS}"
        raise UnusableError(f"{place} cannot be {done}: {why} ({type(error).__name__}).") from None
    except _UNREACHABLE as error:
        why = "the server cannot be reached, or broke off; see that it runs and that its address is right"
        raise RowgateError(f"{place} cannot be {done}: {why} ({type(error).__name__}).") from None
    except (aws_errors.BotoCoreError, ValueError) as error:
        why = "a setting of AWS is not right, such as its endpoint or region; see the connection aws_default"
        raise UnusableError(f"{place} cannot be {done}: {why} ({type(error).__name__}).") from None


def _hush() -> None:
    """Keep botocore's debug lines out of any log: they hold session tokens, and the keys that a role is given."""
    for name in ("boto3", "botocore"):
        logger = logging.getLogger(name)
        if logger.getEffectiveLevel() < logging.INFO:
            logger.setLevel(logging.INFO)
