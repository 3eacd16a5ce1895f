"""The course of a run: rounds of the service alone, under attack, and at rest."""

import random
import re
import time

from servers import get

from . import healthy, measures, origins
from .phases import ATTACK, IDLE, QUIET, WARM

#: Seconds of a round beside those measured: until clients are warm, and at most until all work has ended.
WARMING, SETTLING = 3, 60
#: Attacks beside those of clients.
KILLING, FILLING = "killing", "filling"
#: Of the time of a run; the rest is for warming and settling.
SHARES = {QUIET: 0.15, ATTACK: 0.65}


class Siege:
    def __init__(self, child, admin, port, origin, disk, kinds, phase):
        self.child, self.admin, self.port, self.origin = child, admin, port, origin
        self.disk, self.kinds, self.phase = disk, kinds, phase
        self.pid, self.random = child.pid, random.Random(2)
        self.memory, self.at_rest, self.kills, self.number = [], [], 0, 0

    def is_running(self):
        return self.child.poll() is None

    def total(self, names):
        """The sum of metrics over all labels."""
        try:
            text = get(self.admin, "/metrics")[2].decode()
        except OSError:
            self.child.wait(10)
            return 0
        return int(sum(map(float, re.findall(rf"(?m)^calotype_(?:{names})(?:{{[^}}]*}})? (\S+)$", text))))

    def attack(self, seconds):
        """Kills workers at random moments; in the second half the disk is full."""
        begun = time.monotonic()
        due, half = begun + 2, begun + seconds / 2
        while time.monotonic() < begun + seconds and self.is_running():
            workers = measures.workers(self.pid)
            self.memory.append((measures.resident(self.pid), sum(map(measures.resident, workers))))
            if KILLING in self.kinds and time.monotonic() > due:
                self.kills += measures.kill_one(self.pid)
                due += self.random.uniform(2, 6)
            if FILLING in self.kinds and time.monotonic() > half:
                self.disk.fill()
            time.sleep(0.1)
        if FILLING in self.kinds and self.is_running():
            self.disk.empty()

    def settle(self):
        """Waits until only connections of healthy clients are left."""
        end = time.monotonic() + SETTLING
        while self.is_running():
            left = self.total("work_running|work_waiting|fetches_running|connections") - healthy.CONNECTIONS
            if not self.is_running():
                break
            if left <= 0 or time.monotonic() > end:
                self.at_rest.append(self.rest(max(0, left)))
                break
            time.sleep(0.5)

    def rest(self, left):
        failures = self.total("disk_failures_total")
        self.miss(5)
        after = self.total("disk_failures_total") - failures
        bytes_at_rest = sum(map(measures.resident, [self.pid, *measures.workers(self.pid)]))
        return measures.Rest(measures.descriptors(self.pid), measures.zombies(self.pid), bytes_at_rest, left,
                             failures, after)

    def miss(self, count):
        """Requests new images, which are written to disk."""
        for number in range(count):
            source = f"http://{origins.HEALTHY}:{self.origin}/healthy%3Frest={self.number}-{number}"
            get(self.port, f"/unsafe/rs:fit:320:240/plain/{source}")

    def run(self, seconds):
        rounds = max(2, round(seconds / 100))
        for self.number in range(rounds):
            self.phase.begin(WARM, self.number)
            time.sleep(WARMING)
            self.phase.begin(QUIET, self.number)
            time.sleep(SHARES[QUIET] * seconds / rounds)
            self.phase.begin(ATTACK, self.number)
            self.attack(SHARES[ATTACK] * seconds / rounds)
            self.phase.begin(IDLE, self.number)
            self.settle()
            if not self.is_running():
                break
            print(f"# round {self.number + 1} of {rounds}: {self.kills} workers killed, "
                  f"{self.disk.fillings} fillings of the disk, at rest {self.at_rest[-1]}", flush=True)
