"""Spark's settings for a lake on S3: where it is, how output becomes visible, and what the web page must not show."""

import re
from collections.abc import Mapping
from pathlib import Path

_SECRETS = ("fs.s3a.access.key", "fs.s3a.secret.key", "fs.s3a.session.token")
"""Where Spark itself puts the keys of its own environment, for its executors (SparkHadoopUtil)."""

_REDACTED = "(?i:secret|password|token|access[.]?key)"
"""What Spark itself redacts where `spark.redaction.regex` is not set."""

PROVIDER = "spark.hadoop.fs.s3a.aws.credentials.provider"
_BEYOND_S3A = ("AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE")
"""What says whose keys to use, and S3A's own list of places leaves out: a profile, a service account's role."""
_EVERYWHERE = "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider"

COMMIT = {
    # A file is a multipart upload that is completed when the whole job is: before that there is nothing to list, and
    # nothing is renamed, which on S3 would be a copy. https://hadoop.apache.org/docs/r3.5.0/hadoop-aws/tools/hadoop-aws/committers.html
    "spark.sql.sources.commitProtocolClass": "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol",
    "spark.sql.parquet.output.committer.class": "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter",
    "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a": "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory",
    "spark.hadoop.fs.s3a.committer.name": "magic",
    "spark.hadoop.fs.s3a.committer.magic.enabled": "true",
    # What a killed run of the same folder had begun to upload is given up when the next one commits.
    "spark.hadoop.fs.s3a.committer.abort.pending.uploads": "true",
}
"""The S3A magic committer, through the commit protocol of spark-hadoop-cloud."""

ACCESS = {
    # Nobody else writes into a run's folder, so S3A need not look for what could stand in the way of each file.
    "spark.hadoop.fs.s3a.performance.flags": "create,delete,mkdir",
    # The other kind, `analytics`, reads ahead with a client of its own.
    "spark.hadoop.fs.s3a.input.stream.type": "classic",
}


def s3_settings(environ: Mapping[str, str], redaction: str | None = None) -> dict[str, str]:
    """The session's settings for a lake at `s3://`; no key is among them.

    Args:
        environ: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `AWS_REGION` and `AWS_DEFAULT_REGION` are looked at. Keys
            stay in the driver's environment, from which Spark hands them to its executors with the work; where there
            are none, each process finds its own (an instance's role; or, where the environment names one, a profile
            or a service account's role).
        redaction: the `spark.redaction.regex` in force, if one was set.
    """
    settings = COMMIT | ACCESS
    endpoint = environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
    if endpoint:
        settings["spark.hadoop.fs.s3a.endpoint"] = endpoint
        settings["spark.hadoop.fs.s3a.path.style.access"] = "true"
        settings["spark.hadoop.fs.s3a.connection.ssl.enabled"] = str(endpoint.startswith("https://")).lower()
        region = region or "us-east-1"  # what signs a request to a server that has no regions
    if region:
        settings["spark.hadoop.fs.s3a.endpoint.region"] = region
    if not environ.get("AWS_ACCESS_KEY_ID") and any(map(environ.get, _BEYOND_S3A)):
        settings[PROVIDER] = _EVERYWHERE
    if redaction is not None and not hides_keys(redaction):
        settings["spark.redaction.regex"] = f"{_REDACTED}|{redaction}"
    return settings


def hides_keys(redaction: str) -> bool:
    """Whether a `spark.redaction.regex` keeps the keys off Spark's web page and out of its event log.

    It is a pattern of Java's; one that Python cannot read counts as no.
    """
    try:
        return all(re.search(redaction, name) for name in _SECRETS)
    except re.error:
        return False


def s3_jars(folder: Path | None) -> list[str]:
    """The jars that `make jars` brought for S3, in order; none where there are none, and Spark has its own.

    Args:
        folder: what `make jars` fills.
    """
    return sorted(map(str, folder.glob("*.jar"))) if folder else []
