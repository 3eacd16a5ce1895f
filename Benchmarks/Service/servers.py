"""The servers that the image service is measured beside, started on ports of this machine and stopped by pid."""

import contextlib
import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import time

NGINX = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; sendfile on;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  types {{ image/jpeg jpg; }}
  proxy_cache_path {folder}/cache keys_zone=pictures:10m max_size=1g;
  server {{ listen 127.0.0.1:{origin} backlog=1024; root {root}; add_header Cache-Control max-age=86400;
    location = /fetched.jpg {{ access_log {folder}/fetched.log; }} }}
  server {{ listen 127.0.0.1:{proxy} backlog=1024; keepalive_requests 100000000;
    location / {{ proxy_pass http://127.0.0.1:{origin}; proxy_cache pictures; proxy_cache_valid 1h; }} }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def process(command, port, stderr=subprocess.DEVNULL, **options):
    """A program that listens on a port, until the block ends."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr, **options)
    try:
        end = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if child.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{command[0]} does not listen on port {port}")
            time.sleep(0.05)
        yield child
    finally:
        child.terminate()
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def nginx(folder, root):
    """An origin of files and a cache before it; gives their ports."""
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    origin, proxy = free_port(), free_port()
    home = pathlib.Path(folder, "nginx")
    home.mkdir()
    settings = home / "nginx.conf"
    settings.write_text(NGINX.format(folder=home, root=root, origin=origin, proxy=proxy))
    command = [program, "-p", str(home), "-c", str(settings), "-e", str(home / "error.log")]
    with process(command, proxy):
        yield origin, proxy, home / "fetched.log"


@contextlib.contextmanager
def calotype(program, folder, *options, before=(), log=False):
    """The image service with a cache of its own; gives its process and its ports.

    `before` is a command that becomes the service at its end; `log` has warnings and more come through `stderr`.
    """
    port, admin = free_port(), free_port()
    command = [
        *before, program, "serve", "--listen", f"127.0.0.1:{port}", "--admin", f"127.0.0.1:{admin}",
        "--cache-dir", str(folder), "--allow-unsigned", "--allow-private-sources",
        "--log-level", "warning" if log else "error", *options,
    ]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with process(command, port, stderr=subprocess.PIPE if log else subprocess.DEVNULL) as child:
        yield child, port, admin


def get(port, path, **fields):
    """The status, the fields and the body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in fields.items()})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def family(pid):
    """A process and those that it has started: the workers that decode and encode for it."""
    children = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            children += task.joinpath("children").read_text().split()
    return [pid, *map(int, children)]


def processor_seconds(pid):
    """User and system time so far of a process and its workers, those that have ended included."""
    total = 0
    for member in family(pid):
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{member}/stat").read_text().rsplit(")", 1)[1].split()
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def proportional_bytes(pid):
    """The memory of a process and its workers now; what several share counts once."""
    total = 0
    for member in family(pid):
        # A worker may just have ended.
        with contextlib.suppress(OSError):
            lines = pathlib.Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def resident_bytes(pid, peak=False):
    """The memory of a process and its workers, now or at most since each began; what they share counts for each."""
    name = "VmHWM" if peak else "VmRSS"
    total = 0
    for member in family(pid):
        with contextlib.suppress(OSError):
            lines = pathlib.Path(f"/proc/{member}/status").read_text().splitlines()
            total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
    if total == 0:
        raise RuntimeError(f"{name} of {pid} is not known")
    return total
