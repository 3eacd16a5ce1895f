#!/usr/bin/env python3
"""Calotype's image service beside nginx, thumbor and a bare router, in one run: `make bench-service`.

Each rate is the median of rounds in turns, by wrk over loopback; the load shares the cores with what it loads.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from servers import calotype, free_port, get, nginx, process, processor_seconds, proportional_bytes

NEXT = """
local n = {start}
local path = {path}
request = function() n = n + 1; return wrk.format("GET", (path:gsub("@N", n))) end
"""


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.rows, self.number = [], 0

    def row(self, name, ours, baseline, ratio, target, unit="/s"):
        met = ratio <= target[1] if target[0] == "≤" else ratio >= target[1]
        self.rows.append(dict(name=name, ours=ours, baseline=baseline, ratio=ratio, target=target, met=met))
        print(f"{name:40}{ours:12.4g}{unit:4}{baseline:12.4g}{unit:4}{ratio:8.2f}   {target[0]} {target[1]:<6}"
              f"{'yes' if met else 'NO'}", flush=True)

    def wrk(self, port, path, *fields, clients=16, seconds=None, unique=False):
        """Requests a second, the 99th percentile in seconds, and answers that were no success."""
        command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds or self.options.seconds}s", "--latency", "--timeout", "60s"]
        for field in fields:
            command += ["-H", field]
        if unique:
            self.number += 1_000_000
            script = self.folder / f"next-{self.number}.lua"
            script.write_text(NEXT.format(start=self.number, path=json.dumps(path)))
            command += ["-s", str(script)]
        text = subprocess.run([*command, f"http://127.0.0.1:{port}{'/' if unique else path}"],
                              capture_output=True, text=True, check=True).stdout
        failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
        value, scale = re.search(r"99%\s+([\d.]+)(us|ms|s|m)", text).groups()
        seconds_of = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[scale]
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
        count = int(re.search(r"(\d+) requests in", text).group(1))
        return dict(rate=rate, p99=float(value) * seconds_of, failed=int(failed.group(1)) if failed else 0, count=count)

    def in_turns(self, *loads):
        """The median rate of each load over rounds in turns."""
        rates = [[] for _ in loads]
        for _ in range(self.options.rounds):
            for each, load in zip(rates, loads):
                result = load()
                if result["failed"]:
                    raise RuntimeError(f"{result['failed']} answers were no success")
                each.append(result["rate"])
        return [statistics.median(each) for each in rates]

    def hits(self, origin, proxy):
        target = f"/unsafe/rs:fit:360:360/q:80/plain/http://127.0.0.1:{origin}/{self.options.small}"
        with calotype(self.options.calotype, self.folder / "hits") as (child, port, _):
            _, fields, body = get(port, target)
            tag = fields["ETag"]
            (self.folder / "root" / "result.jpg").write_bytes(body)
            print(f"# a result of {len(body)} bytes", flush=True)
            bare = free_port()
            same = [f"{name}:{value}" for name, value in fields.items() if name.lower() not in ("date", "content-length")]
            with process([self.options.bare, str(bare), str(self.folder / "root" / "result.jpg"), *same], bare):
                ours, theirs, cache = self.in_turns(
                    lambda: self.wrk(port, target), lambda: self.wrk(bare, "/"), lambda: self.wrk(proxy, "/result.jpg"))
                self.row("hit in memory; bare router", ours, theirs, ours / theirs, ("≥", 0.85))
                self.row("hit in memory; nginx proxy_cache", ours, cache, ours / cache, ("≥", 0.7))
                ours, theirs = self.in_turns(
                    lambda: self.wrk(port, target, f"If-None-Match: {tag}"), lambda: self.wrk(bare, "/304"))
                self.row("304; bare router", ours, theirs, ours / theirs, ("≥", 0.85))
        with calotype(self.options.calotype, self.folder / "hits", "--memory", "0") as (child, port, _):
            get(port, target)
            ours, cache = self.in_turns(lambda: self.wrk(port, target), lambda: self.wrk(proxy, "/result.jpg"))
            self.row("hit on disk; nginx proxy_cache", ours, cache, ours / cache, ("≥", 0.4))

    def misses(self, origin):
        photo = pathlib.Path(self.options.photos, self.options.large)
        count = 40
        command = [self.options.calotype, "convert", *[str(photo)] * count, "--format", "jpeg", "--width", "512",
                   "--quality", "80", "--output", str(self.folder / "converted") + "/"]
        (self.folder / "converted").mkdir()
        usage = subprocess.run(["bash", "-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', "-", *command],
                               capture_output=True, text=True, check=True).stderr
        alone = sum(map(float, usage.split()[-2:])) / count
        target = f"/unsafe/rs:fit:512:512/q:80/plain/http://127.0.0.1:{origin}/{self.options.large}%3Fn=@N"
        with calotype(self.options.calotype, self.folder / "misses") as (child, port, _):
            self.wrk(port, target, clients=2, seconds=2, unique=True)
            start = processor_seconds(child.pid)
            result = self.wrk(port, target, clients=4, unique=True)
            spent = (processor_seconds(child.pid) - start) / max(1, result["count"])
            self.row("miss, 6 MP to 512 px; convert", spent * 1000, alone * 1000, spent / alone, ("≤", 1.15), "ms")
            if self.options.thumbor:
                thumbor = free_port()
                settings = self.folder / "thumbor.conf"
                settings.write_text("ALLOW_UNSAFE_URL = True\nQUALITY = 80\nMAX_AGE = 1\nHTTP_LOADER_REQUEST_TIMEOUT = 60\n"
                                    f"FILE_STORAGE_ROOT_PATH = '{self.folder}/thumbor'\n")
                path = f"/unsafe/fit-in/512x512/http%3A%2F%2F127.0.0.1%3A{origin}/{self.options.large}%3Fn=@N"
                with process([self.options.thumbor, "-p", str(thumbor), "-i", "127.0.0.1", "-c", str(settings),
                              "--processes", "2"], thumbor):
                    ours, theirs = self.in_turns(
                        lambda: self.wrk(port, target, clients=4, unique=True),
                        lambda: self.wrk(thumbor, path, clients=4, unique=True))
                self.row("miss, 6 MP to 512 px; thumbor", ours, theirs, ours / theirs, ("≥", 2))

    def crowd(self, origin, fetched):
        """16 clients for one new URL, and hits while misses take all cores."""
        with calotype(self.options.calotype, self.folder / "crowd") as (child, port, admin):
            target = f"/unsafe/rs:fit:512:512/plain/http://127.0.0.1:{origin}/fetched.jpg"
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                bodies = list(pool.map(lambda _: get(port, target)[2], range(16)))
            fetches = len(fetched.read_text().splitlines())
            self.row("16 clients, one URL: loads", fetches, 1, fetches, ("≤", 1), "")
            text = get(admin, "/metrics")[2].decode()
            decodes = int(re.search(r"(?m)^calotype_decodes_total (\d+)$", text).group(1))
            self.row("16 clients, one URL: decodes", decodes, 1, decodes, ("≤", 1), "")
            self.row("16 clients, one URL: results", len(set(bodies)), 1, len(set(bodies)), ("≤", 1), "")
            misses = f"/unsafe/rs:fit:512:512/plain/http://127.0.0.1:{origin}/{self.options.large}%3Fm=@N"
            quiet, busy = [], []
            # The 99th percentile is one slice of the scheduler's or a tenth of it, by luck: as many rounds as tell.
            for _ in range(2 * self.options.rounds + 1):
                quiet.append(self.wrk(port, target, clients=4)["p99"])
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    load = pool.submit(self.wrk, port, misses, clients=8, seconds=self.options.seconds + 3, unique=True)
                    time.sleep(2)
                    busy.append(self.wrk(port, target, clients=4)["p99"])
                    load.result()
            quiet, busy = statistics.median(quiet), statistics.median(busy)
            self.row("p99 of hits among misses", busy * 1000, quiet * 1000, busy / quiet, ("≤", 3), "ms")

    def memory(self, origin):
        target = f"/unsafe/rs:fit:512:512/plain/http://127.0.0.1:{origin}/{self.options.huge}%3Fn=@N"
        with calotype(self.options.calotype, self.folder / "memory", "--work-memory", "256MiB") as (child, port, _):
            peak = 0
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                load = pool.submit(self.wrk, port, target, clients=64, seconds=max(10, self.options.seconds), unique=True)
                while not load.done():
                    peak = max(peak, proportional_bytes(child.pid) / 1e6)
                    time.sleep(0.05)
                load.result()
            budget = 256 * 1.048576 + 150
            self.row("64 clients, 12 MP: memory, workers too", peak, budget, peak / budget, ("≤", 1), "MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calotype", required=True)
    parser.add_argument("--bare", required=True)
    parser.add_argument("--thumbor")
    parser.add_argument("--photos", required=True)
    parser.add_argument("--small", default="p08_sharp_6.1mp.jpg")
    parser.add_argument("--large", default="p08_sharp_6.1mp.jpg")
    parser.add_argument("--huge", default="p02_nikond90_12.2mp_422.jpg")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["hits", "misses", "crowd", "memory"])
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        root = bench.folder / "root"
        root.mkdir()
        for name in {options.small, options.large, options.huge}:
            (root / name).symlink_to(pathlib.Path(options.photos, name).resolve())
        (root / "fetched.jpg").symlink_to(pathlib.Path(options.photos, options.large).resolve())
        bench.folder.chmod(0o755)
        with nginx(folder, root) as (origin, proxy, fetched):
            parts = dict(hits=lambda: bench.hits(origin, proxy), misses=lambda: bench.misses(origin),
                         crowd=lambda: bench.crowd(origin, fetched), memory=lambda: bench.memory(origin))
            for name, part in parts.items():
                if options.only in (None, name):
                    part()
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(bench.rows, indent=1))
        missed = [row["name"] for row in bench.rows if not row["met"]]
        print("missed: " + (", ".join(missed) or "nothing"))


if __name__ == "__main__":
    main()
