# kgfs with its model. Build the wheel first: scripts/wheel && docker build -t kgfs .
# How to run it, with /dev/fuse for a mount: docs/install.md, "In a container".
FROM python:3.11-slim-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev libfuse3-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
COPY constraints.txt dist/kgfs-*.whl /build/
RUN python -m venv /opt/kgfs \
    && /opt/kgfs/bin/pip install --no-cache-dir --no-compile -c /build/constraints.txt /build/kgfs-*.whl \
    && /opt/kgfs/bin/pip uninstall -y pip setuptools

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends fuse3 git \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -m 700 /store \
    && install -d /kg
COPY --from=build /opt/kgfs /opt/kgfs
ENV PATH=/opt/kgfs/bin:$PATH KGFS_STORE=/store PYTHONDONTWRITEBYTECODE=1
VOLUME /store
ENTRYPOINT ["kgfs"]
CMD ["--help"]
