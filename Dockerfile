# One image for every part of Airflow, for Spark's master and worker, and for the marts dashboard; a second, small one,
# `lake`, for the S3 server of docker-compose.yml. Both for amd64 and arm64.
#
# Tags are exact. Where an image must never change under its tag, put the digest behind it, as the registry tells it:
# `docker buildx imagetools inspect python:3.12.13-slim-bookworm`.

# The jars that pip's pyspark lacks; they are the same on every machine.
FROM --platform=$BUILDPLATFORM maven:3.9.14-eclipse-temurin-17 AS jars
WORKDIR /build
COPY scripts/jars.sh scripts/
COPY infra/spark/pom.xml infra/spark/jars.sha256 infra/spark/
RUN sh scripts/jars.sh s3

# The environment: what pyproject.toml needs to run, in the versions and with the hashes of requirements.lock.
FROM python:3.12.13-slim-bookworm AS environment
WORKDIR /opt/rowgate
COPY scripts/uv.txt scripts/
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r scripts/uv.txt
COPY pyproject.toml requirements.lock ./
COPY docker/not-in-the-image.txt docker/
RUN uv venv --no-cache /opt/venv \
    && uv pip install --no-cache --python /opt/venv/bin/python --require-hashes --compile-bytecode \
        --requirements pyproject.toml --constraints requirements.lock --excludes docker/not-in-the-image.txt \
    # The project itself by its folder, so that its own files, which change often, make a small layer of their own.
    && mkdir -p src/rowgate && touch README.md src/rowgate/__init__.py \
    && uv pip install --no-cache --python /opt/venv/bin/python --offline --no-deps --editable .

# The S3 server: as it is published, but for a user of its own.
FROM versity/versitygw:v1.8.0 AS lake
RUN install -d -o 10001 -g 10001 -m 700 /lake /lake/objects /lake/metadata /lake/users
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:7070/health"]

FROM python:3.12.13-slim-bookworm AS rowgate
# Java alone; its package wants the folder of the manual pages, which the slim image has not. No version is named, since
# the image's tag fixes Debian's release, within which only repairs come.
# hadolint ignore=DL3008
RUN mkdir -p /usr/share/man/man1 \
    && apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --home-dir /var/lib/rowgate --shell /usr/sbin/nologin rowgate \
    && install -d -o rowgate -g rowgate -m 700 /var/lib/rowgate /var/lib/rowgate/airflow /var/lib/rowgate/tmp
COPY --from=jars /build/.rowgate/jars /opt/jars
COPY --from=environment /opt/venv /opt/venv
WORKDIR /opt/rowgate
COPY . .
# A clone made under a strict umask is readable for its owner alone.
RUN chmod -R a+rX . && python -m compileall -q src dags
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PYTHONWARNINGS=ignore \
    SPARK_HOME=/opt/venv/lib/python3.12/site-packages/pyspark \
    PYSPARK_PYTHON=/opt/venv/bin/python \
    PYSPARK_DRIVER_PYTHON=/opt/venv/bin/python \
    ROWGATE_PROJECT=/opt/rowgate \
    ROWGATE_STATE=/var/lib/rowgate \
    ROWGATE_JARS=/opt/jars \
    AIRFLOW_HOME=/var/lib/rowgate/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/rowgate/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED=False \
    DBT_SEND_ANONYMOUS_USAGE_STATS=False \
    DBT_VERSION_CHECK=False \
    DO_NOT_TRACK=1 \
    SCARF_ANALYTICS=false
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s \
    CMD ["python", "scripts/healthy.py", "http://127.0.0.1:8080/api/v2/version"]
CMD ["airflow", "api-server"]
