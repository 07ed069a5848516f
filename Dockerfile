# The server in a container:
#   docker build -t truekeep .
#   docker run -p 8420:8420 -v truekeep:/data -e TRUEKEEP_ADMIN_KEY truekeep
# It listens on every address of the container, so it refuses to start without a key.
# It is made from one image of Python 3.11, whatever the tag means tomorrow. A later one: --build-arg PYTHON=python@sha256:...
ARG PYTHON=python:3.11.16-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7
FROM ${PYTHON}

RUN useradd --uid 10001 --no-create-home truekeep && install --directory --owner=truekeep /data

WORKDIR /app
# What is installed is what was looked at: every file has to have the hash that stands here.
COPY requirements-image.txt ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements-image.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

USER truekeep
ENV TRUEKEEP_HOME=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8420

HEALTHCHECK --start-period=10s --interval=30s --timeout=5s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8420/health', timeout=4)"]

ENTRYPOINT ["truekeep"]
CMD ["serve", "--host", "0.0.0.0"]
