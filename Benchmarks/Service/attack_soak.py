#!/usr/bin/env python3
"""Healthy clients of the image service, in turns alone and under attack: part of `make soak-service`.

The attack is hostile and slow files, origins that hang, trickle and lie, clients that leave, read slowly or
never finish a request, workers that are killed, and a disk that fills, all at once. Prints the times, errors
and resources of both as a table, and fails where a target is not met.
"""

import argparse
import collections
import contextlib
import multiprocessing
import pathlib
import re
import tempfile
import threading

from attack import attackers, disk, healthy, measures, origins, pictures, report
from attack.phases import ATTACK, QUIET, STOP, Phase
from attack.siege import FILLING, KILLING, Siege
from servers import calotype, get

RATES = {"hit": 100, "miss": 3, "bare": 20}
SETTINGS = ["--memory", "64MiB", "--disk", "16MiB", "--disk-originals", "16MiB"]
DISK_BYTES = 64 << 20
#: Of the load that is not measured, which shares the cores with what is.
NICE = 5
LONG_ENOUGH = 300
ATTACKS = [*attackers.KINDS, KILLING, FILLING]


def prime(port, origin, clients):
    """Requests the images that are hits later."""
    large = f"/unsafe/f:png/plain/http://{origins.HEALTHY}:{origin}/large"
    for path in [large, *(clients.path("hot", number) for number in range(healthy.HOT_COUNT))]:
        status = get(port, path)[0]
        if status != 200:
            raise RuntimeError(f"{path} was answered by {status} before any attack")


def files(options):
    """The files of the origins, and the names of the harmful ones by kind."""
    image = pictures.healthy(options.picture)
    harmful = {"slow": pictures.slow(), "heavy": pictures.heavy(),
               "hostile": pictures.broken(image) | pictures.found(options.hostile)}
    served = {"healthy": image, "small": image[:20_000], "large": pictures.noise()}
    for each in harmful.values():
        served |= each
    return served, {kind: list(each) for kind, each in harmful.items()}


class Log(threading.Thread):
    """The service's log: the last lines that are not about attackers, and the first serious ones."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.last, self.serious = stream, collections.deque(maxlen=20), collections.Counter()
        self.start()

    def run(self):
        for line in self.stream:
            text = line.decode(errors="replace").rstrip()
            if re.search(r"disk cache|Fatal|Crash|Precondition", text):
                self.serious[re.sub(r"\S+Z |: \S+ failed on .*", "", text)[:200]] += 1
            elif not re.search(r" source=http://127\.0\.0\.[2-9]", text):
                self.last.append(text[:400])


def summarise(run, files_seen, log):
    """Prints the details behind the table."""
    print()
    for kind, counts in run.statuses.items():
        longest = f", longest {run.longest[kind]:.1f} s" if kind in run.longest else ""
        print(f"# {kind}: {dict(sorted(counts.items(), key=str))}{longest}")
    print("# files: " + ", ".join(f"{name} {dict(counts)}" for name, counts in sorted(files_seen.items())))
    summarise_healthy(run)
    marks = [run.memory[n * len(run.memory) // 12] for n in range(12)]
    print("# memory of service + workers under attack, MB: "
          + ", ".join(f"{service / 1e6:.0f} + {workers / 1e6:.0f}" for service, workers in marks))
    print("".join(f"# log, {count} times: {line}\n" for line, count in log.serious.items()), end="")


def summarise_healthy(run):
    for kind in RATES:
        for phase, name in ((QUIET, "alone"), (ATTACK, "under attack")):
            samples = run.samples(kind, phase)
            shares = (0.5, 0.9, 0.99, 0.999, 1)
            spread = " ".join(f"{run.pooled(kind, phase, share) * 1e3:.1f}" for share in shares)
            caches = sum((sample.caches for sample in samples), collections.Counter())
            rounds = " ".join(f"{measures.quantile(sample.seconds, 0.99) * 1e3:.1f}" for sample in samples)
            print(f"# {kind} {name}: {sum(caches.values())}, X-Cache {dict(caches)}; "
                  f"ms at 50, 90, 99, 99.9, 100 %: {spread}; 99 % by round: {rounds}")
        slowest = sorted((each for sample in samples for each in sample.slowest), reverse=True)[:5]
        lines = [f"#   {seconds * 1e3:.0f} ms: {timing}\n" for seconds, timing in slowest if timing]
        print("".join(lines), end="")
        errors = [error for sample in run.samples(kind) for error in sample.errors]
        print("".join(f"#   {error}\n" for error in errors[:10]), end="")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calotype", required=True)
    parser.add_argument("--picture", help="a healthy image; drawn where there is none")
    parser.add_argument("--hostile", help="a folder of hostile files beside those that are generated")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=ATTACKS, help="all unless set")
    parser.add_argument("--stand-in", action="store_true", help="mount nothing, as where that is not allowed")
    return parser.parse_args()


@contextlib.contextmanager
def processes(*targets):
    """A process for each function with its arguments, until the block ends."""
    started = [multiprocessing.Process(target=target, args=given, daemon=True) for target, *given in targets]
    try:
        for each in started:
            each.start()
        yield
    finally:
        for each in started:
            if each.pid:
                each.terminate()
                each.join(10)


def measure(options, names, ports, phase, service, small_disk):
    """A run on a service that listens."""
    child, port, admin = service
    origin, log = ports[origins.HEALTHY], Log(child.stderr)
    small_disk.start(child.pid)
    prime(port, origin, healthy.Healthy(port, origin, phase, RATES))
    receiving, results = zip(multiprocessing.Pipe(False), multiprocessing.Pipe(False))
    siege = Siege(child, admin, port, origin, small_disk, options.attacks, phase)
    kinds = [kind for kind in attackers.KINDS if kind in options.attacks]
    with processes((healthy.run, port, origin, phase, RATES, results[0]),
                   (attackers.run, port, ports, names, kinds, phase, results[1], NICE)):
        siege.run(options.seconds)
        phase.begin(STOP)
        if not all(each.poll(90) for each in receiving):
            raise RuntimeError("the clients do not end")
        measured, (statuses, longest, files_seen) = (each.recv() for each in receiving)
    run = measures.Run(measured, statuses, longest, siege.memory, siege.at_rest, siege.kills,
                       0 if siege.is_running() else 1, small_disk.fillings, options.attacks)
    if siege.is_running():
        summarise(run, files_seen, log)
        missed = report.report(run)
    else:
        missed = [f"restarts: the service has ended with status {child.returncode}"]
    if missed:
        print("\n".join(f"# log: {line}" for line in log.last))
    return missed


def main():
    options = arguments()
    served, names = files(options)
    good, good_ports = origins.listening(origins.HEALTHY)
    bad, bad_ports = origins.listening(origins.HANGING, origins.TRICKLING, origins.LYING, origins.HOSTILE)
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder, "cache")
        small_disk = disk.small_disk(cache, DISK_BYTES, options.stand_in)
        print(f"# the disk that fills: {small_disk.name}", flush=True)
        with processes((origins.run, good, served, 0), (origins.run, bad, served, NICE)):
            for bound in [*good.values(), *bad.values()]:
                bound.close()
            before, ports = small_disk.before, good_ports | bad_ports
            with calotype(options.calotype, cache, *SETTINGS, before=before, log=True) as service:
                missed = measure(options, names, ports, Phase(), service, small_disk)
    if options.seconds < LONG_ENOUGH:
        print(f"# a run of less than {LONG_ENOUGH} s: noise and warming up may miss its targets")
    print("missed: " + (", ".join(missed) or "nothing"))
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
