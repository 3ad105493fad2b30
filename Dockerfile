# The service in a container: `masis serve` by default, `masis worker` for the jobs. compose.yaml runs both.

FROM python:3.12-slim-bookworm AS build
WORKDIR /build
# An environment without pip: what is copied out of this stage can run and cannot install.
RUN python -m venv --without-pip /opt/masis
COPY requirements/server.txt requirements/
RUN pip --python /opt/masis/bin/python install --no-cache-dir --disable-pip-version-check \
    --no-deps --only-binary :all: --require-hashes -r requirements/server.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY examples/tolmerick examples/tolmerick
RUN pip --python /opt/masis/bin/python install --no-cache-dir --disable-pip-version-check \
    --no-deps --no-build-isolation .

FROM python:3.12-slim-bookworm
COPY --from=build /opt/masis /opt/masis
# The data folder is made here, so that a new volume belongs to the user who writes into it.
RUN useradd --system --uid 10001 --no-create-home --home-dir /data masis \
    && install --directory --owner=masis --group=masis --mode=0700 /data
# The runtime of the embedded models reports its use to its maker unless it is told not to.
ENV PATH=/opt/masis/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ORT_DISABLE_TELEMETRY=1 \
    MASIS_HOME=/data
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# Straight to the port: a proxy meant for the models must not answer for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["python", "-c", \
    "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/health'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["masis", "serve", "--host", "0.0.0.0"]
