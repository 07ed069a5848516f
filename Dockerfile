# The server in a container:
#   docker build -t recollect .
#   docker run -p 8420:8420 -v recollect:/data -e RECOLLECT_ADMIN_KEY recollect
# It listens on every address of the container, so it refuses to start without a key.
FROM python:3.11-slim

RUN useradd --uid 10001 --no-create-home recollect && install --directory --owner=recollect /data

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir --constraint constraints.txt '.[server]'

USER recollect
ENV RECOLLECT_HOME=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8420

HEALTHCHECK --start-period=10s --interval=30s --timeout=5s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8420/health', timeout=4)"]

ENTRYPOINT ["recollect"]
CMD ["serve", "--host", "0.0.0.0"]
