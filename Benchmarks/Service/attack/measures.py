"""Observation of the service's processes, and the results of a run."""

import dataclasses
import os
import pathlib
import random
import signal
import statistics

from servers import family


def resident(pid):
    """Bytes of a process in memory; 0 for one that has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def workers(pid):
    """The codec workers of a service."""
    found = []
    for member in family(pid)[1:]:
        try:
            if b"codec-worker" in pathlib.Path(f"/proc/{member}/cmdline").read_bytes():
                found.append(member)
        except OSError:
            continue
    return found


def kill_one(pid):
    """Kills a random worker; returns how many were killed."""
    found = workers(pid)
    if not found:
        return 0
    chosen = random.choice(found)
    try:
        handle = os.pidfd_open(chosen)
    except ProcessLookupError:
        return 0
    try:
        # The number may have gone to another process before the handle was opened.
        if chosen not in workers(pid):
            return 0
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        return 1
    except ProcessLookupError:
        return 0
    finally:
        os.close(handle)


def zombies(pid):
    count = 0
    for member in family(pid)[1:]:
        try:
            count += pathlib.Path(f"/proc/{member}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            continue
    return count


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def quantile(values, share):
    if not values:
        raise RuntimeError("nothing was measured: the run is too short")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclasses.dataclass
class Run:
    """Results of a run."""

    #: Samples by kind, phase and round.
    healthy: dict
    statuses: dict
    longest: dict
    #: Bytes of the service and of its workers at each reading under attack.
    memory: list
    at_rest: list
    kills: int
    restarts: int
    #: Times that the disk was filled; `None` where no disk can be.
    fillings: int | None
    #: The attacks that there should have been.
    kinds: list

    def samples(self, kind, *phases):
        """The samples of all rounds, of some phases or of all."""
        keys = [key for key in self.healthy if key[0] == kind and (not phases or key[1] in phases)]
        return [self.healthy[key] for key in keys]

    def pooled(self, kind, phase, share):
        """A quantile over all rounds."""
        samples = self.samples(kind, phase)
        return quantile([value for sample in samples for value in sample.seconds], share)

    def typical(self, kind, phase, share):
        """The median of the rounds' quantiles, which a program that disturbs one round does not change."""
        return statistics.median(quantile(sample.seconds, share) for sample in self.samples(kind, phase))


@dataclasses.dataclass
class Rest:
    """The service after a round, with nothing under way."""

    descriptors: int
    zombies: int
    byte_count: int
    work: int
    #: Failures of the disk cache so far, and those of a few misses after the disk was emptied.
    disk_failures: int
    disk_failures_after: int
