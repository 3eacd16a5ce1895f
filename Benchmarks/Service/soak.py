#!/usr/bin/env python3
"""Mixed load on the image service for minutes, with all counters reconciled at its end: `make soak-service`.

Hits, misses, conditional requests, HEAD, both grammars, descriptions, bad URLs, origins that fail, purges, and clients that
leave. Fails where answers and counters differ, by status and by what X-Cache says of each tier, where work was begun and has
not ended, where something is left (work, descriptors), or where memory grows.
"""

import argparse
import asyncio
import collections
import http.server
import json
import os
import pathlib
import random
import re
import statistics
import tempfile
import threading
import time

from attack import pictures
from servers import calotype, get, resident_bytes


class Origin(http.server.BaseHTTPRequestHandler):
    """Pictures at any path; some paths fail, break off, or take a while."""

    protocol_version = "HTTP/1.1"
    picture = b""

    def do_GET(self):
        if "/missing" in self.path:
            return self.send_error(404)
        if "/broken" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.picture) + 100))
            self.end_headers()
            self.wfile.write(self.picture[:1000])
            self.close_connection = True
            return None
        if "/slow" in self.path:
            time.sleep(0.2)
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.picture)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(self.picture)
        return None

    def log_message(self, *_):
        pass


class OriginServer(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """The service breaks off what nobody wants any more."""


class Client:
    """One connection at a time; what it was answered, by status and by X-Cache."""

    KINDS = {"hit": 420, "tag": 80, "head": 30, "thumbor": 40, "info": 30, "miss": 12, "bad": 20, "missing": 4, "broken": 4,
             "slow": 4, "leave": 6}

    def __init__(self, port, origin, seed):
        self.port, self.origin, self.random = port, origin, random.Random(seed)
        self.statuses, self.caches, self.left = collections.Counter(), collections.Counter(), 0
        self.number = seed * 10_000_000
        self.tag, self.streams = None, None

    def request(self):
        self.number += 1
        base = f"http://127.0.0.1:{self.origin}"
        kind = self.random.choices(list(self.KINDS), self.KINDS.values())[0]
        source, fields, leaves = f"{base}/hot{self.random.randrange(40)}.jpg", "", kind == "leave"
        if kind == "tag" and self.tag:
            fields = f"If-None-Match: {self.tag}\r\n"
        if kind in ("miss", "missing", "broken", "slow", "leave"):
            # So many that none of the caches holds them, and so few that what is known of each finds its level.
            source = f"{base}/{'slow' if leaves else kind}{self.number % 3_000}.jpg"
        width = self.random.choice([120, 240, 320])
        option = "nonsense:1" if kind == "bad" else f"rs:fit:{width}:240"
        path = f"/thumbor/unsafe/fit-in/{width}x240/{source}" if kind == "thumbor" else f"/unsafe/{option}/plain/{source}"
        method, path = "HEAD" if kind == "head" else "GET", f"/info{path}" if kind == "info" else path
        return f"{method} {path} HTTP/1.1\r\nHost: h\r\n{fields}\r\n".encode(), leaves, method == "HEAD"

    async def run(self, end):
        while time.monotonic() < end:
            if self.streams is None:
                self.streams = await asyncio.open_connection("127.0.0.1", self.port)
            reader, writer = self.streams
            text, leaves, is_head = self.request()
            writer.write(text)
            await writer.drain()
            if leaves:
                self.left += 1
                writer.transport.abort()
                self.streams = None
                continue
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status = int(head.split(" ", 2)[1])
            self.statuses[status] += 1
            cache = re.search(r"(?i)\r\nx-cache: (\w+)", head)
            if cache:
                self.caches[cache.group(1)] += 1
            count = re.search(r"(?i)\r\ncontent-length: (\d+)", head)
            if count and status != 304 and not is_head:
                await reader.readexactly(int(count.group(1)))
            found = re.search(r"(?i)\r\netag: ([^\r]+)", head)
            self.tag = found.group(1) if found else self.tag
            if re.search(r"(?i)\r\nconnection: close", head):
                writer.close()
                self.streams = None
        if self.streams:
            self.streams[1].close()


def metrics(admin):
    """The numbers of the metrics page by name and labels."""
    text = get(admin, "/metrics")[2].decode()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in text.splitlines() if line and not line.startswith("#")}


def total(numbers, name, having=""):
    return sum(value for key, value in numbers.items() if key.split("{")[0] == name and having in key)


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


async def load(port, admin, origin, seconds, pid, samples):
    end = time.monotonic() + seconds
    clients = [Client(port, origin, seed) for seed in range(1, 25)]

    async def watch():
        while time.monotonic() < end:
            await asyncio.sleep(min(2, seconds / 20))
            samples.append(resident_bytes(pid))
            base = f"http://127.0.0.1:{origin}"
            await asyncio.to_thread(purge, admin, {"source": f"{base}/hot{random.randrange(40)}.jpg"})
            await asyncio.to_thread(purge, admin, {"prefix": f"{base}/miss{random.randrange(1, 10)}"})

    await asyncio.gather(watch(), *(client.run(end) for client in clients))
    return clients


def purge(admin, what):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=60)
    connection.request("POST", "/purge", json.dumps(what), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"a purge was answered by {answer.status}")
    answer.read()


def check(clients, after, samples, faults):
    statuses = sum((client.statuses for client in clients), collections.Counter())
    left = sum(client.left for client in clients)
    counted = {int(re.search(r'status="(\d+)"', key).group(1)): int(value) for key, value in after.items()
               if key.startswith("calotype_requests_total")}
    print(f"answers {dict(sorted(statuses.items()))}, clients that left {left}, counted {dict(sorted(counted.items()))}")
    for status, count in statuses.items():
        extra = counted.get(status, 0) - count
        # Who has left may have been answered all the same.
        if extra < 0 or extra > left:
            faults.append(f"status {status}: {count} answers, {counted.get(status, 0)} counted")
    if sum(counted.values()) < sum(statuses.values()) or sum(counted.values()) > sum(statuses.values()) + left:
        faults.append("not as many are counted as were asked")
    check_lookups(sum((client.caches for client in clients), collections.Counter()), left, after, faults)
    check_work(after, faults)
    for name in ("calotype_work_running", "calotype_work_waiting", "calotype_work_bytes", "calotype_fetches_running"):
        if total(after, name):
            faults.append(f"{name} is {total(after, name)} at rest")
    fifth = len(samples) // 5
    print(f"resident memory {samples[0] / 1e6:.0f} MB at the first reading, {samples[-1] / 1e6:.0f} MB at the last")
    early, late = statistics.median(samples[fifth:][:9]), statistics.median(samples[-9:])
    marks = [round(samples[i * len(samples) // 10] / 1e6) for i in range(10)]
    print(f"resident memory at each tenth of the time, in MB: {marks}")
    print(f"resident memory {early / 1e6:.0f} MB after a fifth of the time, {late / 1e6:.0f} MB at the end")
    if late > 1.1 * early:
        faults.append("memory has grown by more than a tenth")


def check_lookups(caches, left, after, faults):
    """What clients were told by X-Cache against the lookups that the service has counted in each tier."""
    behind = caches["disk"] + caches["stale"] + caches["miss"]
    expected = {("memory", "hit"): caches["memory"], ("memory", "miss"): behind, ("disk", "hit"): caches["disk"],
                ("disk", "stale"): caches["stale"], ("disk", "miss"): caches["miss"]}
    counted = {key: int(total(after, "calotype_cache_lookups_total", f'tier="{key[0]}",outcome="{key[1]}"'))
               for key in expected}
    print(f"X-Cache of answers {dict(sorted(caches.items()))}")
    print("lookups counted " + ", ".join(f"{tier} {outcome} {count}" for (tier, outcome), count in counted.items()))
    for key, count in expected.items():
        # Who has left may have been answered all the same.
        if not 0 <= counted[key] - count <= left:
            faults.append(f"{key[0]} {key[1]}: {count} answers, {counted[key]} lookups")
    if sum(counted[key] for key in counted if key[0] == "disk") != counted["memory", "miss"]:
        faults.append("not as many have looked on disk as have missed in memory")


def check_work(after, faults):
    started, ended, decodes = (
        int(total(after, f"calotype_{name}_total")) for name in ("work_started", "work_ended", "decodes"))
    print(f"work begun {started}, ended {ended}; decodes {decodes}")
    if not 0 < started == ended:
        faults.append(f"{started} pieces of work were begun, {ended} have ended")
    if not 0 < decodes <= started:
        faults.append(f"{decodes} decodes in {started} pieces of work")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calotype", required=True)
    parser.add_argument("--picture", help="a healthy image; drawn where there is none")
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    Origin.picture = pictures.healthy(options.picture)
    origin = OriginServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    faults, samples = [], []
    with tempfile.TemporaryDirectory() as folder:
        with calotype(options.calotype, pathlib.Path(folder, "cache"), "--memory", "8MiB", "--disk", "8MiB",
                      "--disk-originals", "64MiB") as (
                child, port, admin):
            get(port, f"/unsafe/rs:fit:9:9/plain/http://127.0.0.1:{origin.server_port}/hot0.jpg")
            open_before = descriptors(child.pid)
            clients = asyncio.run(load(port, admin, origin.server_port, options.seconds, child.pid, samples))
            clients[0].statuses[200] += 1
            clients[0].caches["miss"] += 1
            end = time.monotonic() + 60
            while time.monotonic() < end:
                after = metrics(admin)
                if not total(after, "calotype_work_running") and not total(after, "calotype_fetches_running"):
                    break
                time.sleep(0.5)
            check(clients, after, samples, faults)
            open_after = descriptors(child.pid)
            print(f"descriptors {open_before} before, {open_after} after")
            if open_after > open_before + 32:
                faults.append("descriptors are left open")
    print("\n".join(f"error: {fault}" for fault in faults) or "everything is accounted for")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
