"""On a machine with a role nobody hands Spark a key, and the pipeline's policy is enough for what Spark does."""

import json
import runpy
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SERVERS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "servers" / "s3.py"))


@contextmanager
def _metadata(keys: dict[str, str]) -> Iterator[str]:
    """An instance's metadata service: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html."""

    class Service(BaseHTTPRequestHandler):
        def do_PUT(self):
            self._say("a token")

        def do_GET(self):
            self._say("role" if self.path.endswith("/") else json.dumps(keys))

        def _say(self, text):
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def _session_keys(server, policy: str) -> dict[str, str]:
    """What an instance with a role of this policy gets: keys, a session's token, and when they end."""
    name = f"pipeline-{uuid.uuid4().hex[:8]}"
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]}
    role = server.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]
    server.client("iam").put_role_policy(RoleName=name, PolicyName="pipeline", PolicyDocument=policy)
    keys = server.client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="instance")["Credentials"]
    return {
        "Code": "Success",
        "Type": "AWS-HMAC",
        "LastUpdated": "2026-01-01T00:00:00Z",
        "AccessKeyId": keys["AccessKeyId"],
        "SecretAccessKey": keys["SecretAccessKey"],
        "Token": keys["SessionToken"],
        "Expiration": keys["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def test_the_role_of_the_machine_and_the_pipelines_policy_are_enough(
    spark_submit, moto_server, laid, rows, in_a_folder, project
):
    bucket = moto_server.bucket()
    lake = laid(moto_server.lake(f"s3://{bucket}"))
    policy = (project / "infra" / "terraform" / "pipeline-policy.json").read_text(encoding="utf-8")
    keys = _session_keys(moto_server, policy.replace("${bucket_arn}", f"arn:aws:s3:::{bucket}"))
    apart = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN")
    env = {name: value for name, value in moto_server.environment().items() if name not in apart}
    with _metadata(keys) as address, SERVERS["enforcing"](moto_server):
        done = spark_submit.run(lake, env=env | {"AWS_EC2_METADATA_SERVICE_ENDPOINT": address})
    assert done.returncode == 0, done.stderr
    assert rows(lake, "clean") == rows(in_a_folder, "clean") != []
