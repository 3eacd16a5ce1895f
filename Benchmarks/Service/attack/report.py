"""The table of a run, in the form of Docs/performance.md."""

import statistics

from .attackers import ANSWERED
from .phases import ATTACK, QUIET
from .siege import FILLING, KILLING


def milliseconds(seconds):
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.1 else f"{seconds * 1e3:.3g} ms"


class Table:
    """Rows with their targets; prints each at once."""

    def __init__(self):
        self.missed = []
        print("\n| row | ours | baseline | ratio | target | met |")
        print("|---|--:|--:|--:|--:|---|")

    def row(self, name, ours, baseline="–", ratio="–", target="–", met=None):
        if met is False:
            self.missed.append(name)
        word = "–" if met is None else "yes" if met else "**no**"
        print(f"| {name} | {ours} | {baseline} | {ratio} | {target} | {word} |", flush=True)

    def time(self, name, quantile_of, kind, share, times=None, seconds=None):
        """A quantile under attack beside that of the service alone."""
        ours, alone = (quantile_of(kind, phase, share) for phase in (ATTACK, QUIET))
        met = None if times is None and seconds is None else ours <= (alone * times if times else seconds)
        target = f"≤ {times}" if times else f"≤ {seconds} s" if seconds else "–"
        self.row(name, milliseconds(ours), milliseconds(alone), f"{ours / alone:.2f}", target, met)

    def count(self, name, ours, bound):
        self.row(name, ours, target=f"≤ {bound}" if bound else "0", met=ours <= bound)

    def memory(self, name, ours, baseline, is_target=True):
        """Memory that may not grow."""
        target, met = "≤ 1.1 × + 20 MB", ours <= 1.1 * baseline + 20e6
        self.row(name, f"{ours / 1e6:.0f} MB", f"{baseline / 1e6:.0f} MB", f"{ours / baseline:.2f}",
                 *(target, met) if is_target else ())


def report_times(table, run):
    table.time("hits, median, under attack; alone", run.typical, "hit", 0.5)
    table.time("hits, 99th percentile; alone", run.typical, "hit", 0.99, times=3)
    table.time("healthy misses, median; alone", run.pooled, "miss", 0.5)
    table.time("healthy misses, 99th percentile; alone", run.pooled, "miss", 0.99, seconds=2)
    table.time("an origin without the service (noise), 99th percentile; alone", run.typical, "bare", 0.99)


def report_statuses(table, run):
    hits, misses = run.samples("hit"), run.samples("miss")
    # A hit needs no work that another client could take.
    count = sum(len(each.seconds) for each in hits)
    bad = count - sum(each.statuses[200] for each in hits)
    table.count(f"errors of {count} hits", bad, 0)
    count = sum(len(each.seconds) for each in misses)
    bad = count - sum(each.statuses[200] + each.busy for each in misses)
    table.count(f"errors of {count} healthy misses, but 503 with `Retry-After`", bad, 0)
    busy = sum(each.busy for each in misses)
    table.count("503 with `Retry-After` of these", busy, run.kills + count // 100)


def report_resources(table, run):
    third, half = len(run.memory) // 3, len(run.at_rest) // 2
    service, both = [each[0] for each in run.memory], list(map(sum, run.memory))
    late, middle = slice(2 * third, None), slice(third, 2 * third)
    table.memory("memory of the service, most in the last third; in the middle third", max(service[late]),
                 max(service[middle]))
    table.memory("memory of service and workers, mean of the same", statistics.mean(both[late]),
                 statistics.mean(both[middle]))
    # Which heavy files meet in two workers is chance, and the most memory with it.
    table.memory("memory of service and workers, most in the same", max(both[late]), max(both[middle]), False)
    at_rest = [rest.byte_count for rest in run.at_rest]
    table.memory("memory at rest, median of the last half; of the first half",
                 statistics.median(at_rest[half:]), statistics.median(at_rest[:half]))
    first, last = run.at_rest[0], run.at_rest[-1]
    ours, baseline = last.descriptors, first.descriptors
    table.row("descriptors at rest, last round; first round", ours, baseline, f"{ours / baseline:.2f}",
              "≤ + 16", ours <= baseline + 16)
    left = sum(rest.work + rest.zombies for rest in run.at_rest)
    table.count("work, connections and dead workers left at rest", left, 0)
    table.count("restarts", run.restarts, 0)
    failures = sum(rest.disk_failures_after for rest in run.at_rest)
    table.count("failures of the disk cache once there is room again", failures, 0)


def report_attackers(table, run):
    longest = max(run.longest.values(), default=0)
    name = "longest wait of an attacker for its response"
    table.row(name, f"{longest:.1f} s", target="≤ 35 s", met=longest <= 35)
    lost = sum(count for kind in ANSWERED for status, count in run.statuses.get(kind, {}).items()
               if status == 500 or isinstance(status, str))
    table.count("attackers with status 500 or without a response", lost, 0)
    counts = {kind: sum(each.values()) for kind, each in run.statuses.items()}
    counts |= {KILLING: run.kills, FILLING: run.fillings}
    absent = [kind for kind in run.kinds if counts.get(kind, 0) == 0]
    table.count("attacks that did not take place" + "".join(f", {kind}" for kind in absent), len(absent), 0)


def report(run):
    """Prints the table; gives the rows whose target is not met."""
    table = Table()
    for part in (report_times, report_statuses, report_resources, report_attackers):
        part(table, run)
    return table.missed
