"""Healthy clients, whose responses are measured: hits, misses, and requests to an origin alone."""

import asyncio
import collections
import dataclasses
import itertools
import time

from . import http1, origins
from .phases import IDLE, STOP

HOT_COUNT = 40
CONNECTIONS = 8


@dataclasses.dataclass
class Sample:
    """Requests of one kind in one phase of one round."""

    seconds: list = dataclasses.field(default_factory=list)
    statuses: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    caches: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    #: 503 with Retry-After.
    busy: int = 0
    #: The first bodies of errors.
    errors: list = dataclasses.field(default_factory=list)
    #: The slowest, each with the steps that took its time.
    slowest: list = dataclasses.field(default_factory=list)

    def add(self, seconds, response):
        self.seconds.append(seconds)
        self.caches[response.cache] += 1
        self.slowest = sorted([*self.slowest, (seconds, response.timing)], reverse=True)[:3]
        if response.status == 503 and response.retries:
            self.busy += 1
        else:
            self.statuses[response.status] += 1
        if response.status != 200:
            text = response.body[:200].decode(errors="replace").strip()
            self.fail(f"{response.status} after {seconds:.2f} s: {text}")

    def fail(self, text):
        if len(self.errors) < 5:
            self.errors.append(text)


class Healthy:
    def __init__(self, port, origin, phase, rates):
        self.port, self.origin, self.phase, self.rates = port, origin, phase, rates
        self.samples = collections.defaultdict(Sample)
        self.tasks = set()

    def path(self, name, number):
        source = f"http://{origins.HEALTHY}:{self.origin}/healthy%3F{name}={number}"
        return f"/unsafe/rs:fit:320:240/plain/{source}"

    def record(self, kind, phase, begun, response):
        self.samples[kind, *phase].add(time.monotonic() - begun, response)

    async def hits(self, index):
        """Sends requests at even intervals over one connection.

        The time of a request that is due before the last response counts from when it was due.
        """
        interval, streams = CONNECTIONS / self.rates["hit"], None
        due = time.monotonic() + interval * index / CONNECTIONS
        for number in itertools.count(index):
            late = time.monotonic() > due
            if not late:
                await asyncio.sleep(due - time.monotonic())
            begun = due if late else time.monotonic()
            due += interval
            phase = self.phase.current
            if phase[0] == STOP:
                return
            try:
                async with asyncio.timeout(45):
                    streams = streams or await asyncio.open_connection("127.0.0.1", self.port)
                    streams[1].write(http1.request(self.path("hot", number % HOT_COUNT)))
                    response = await http1.receive(streams[0])
                self.record("hit", phase, begun, response)
            except (OSError, EOFError, TimeoutError) as error:
                self.lose("hit", phase, begun, error)
                response = None
            if response is None or response.closes:
                if streams:
                    streams[1].transport.abort()
                streams = None

    def lose(self, kind, phase, begun, error):
        sample, seconds = self.samples[kind, *phase], time.monotonic() - begun
        sample.seconds.append(seconds)
        sample.statuses[type(error).__name__] += 1
        sample.fail(f"no response after {seconds:.2f} s: {error!r}")

    async def single(self, kind, port, path, phase):
        begun = time.monotonic()
        try:
            self.record(kind, phase, begun, await http1.get(port, path))
        except (OSError, EOFError, TimeoutError) as error:
            self.lose(kind, phase, begun, error)

    async def singles(self, kind):
        """Sends requests at even intervals over connections of their own, whether or not others wait."""
        for number in itertools.count():
            await asyncio.sleep(1 / self.rates[kind])
            phase = self.phase.current
            if phase[0] == STOP:
                break
            if phase[0] == IDLE:
                continue
            if kind == "miss":
                port, path = self.port, self.path("miss", number)
            else:
                port, path = self.origin, "/small"
            task = asyncio.create_task(self.single(kind, port, path, phase))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        await asyncio.gather(*self.tasks)

    async def run(self):
        hits = [self.hits(index) for index in range(CONNECTIONS)]
        await asyncio.gather(*hits, self.singles("miss"), self.singles("bare"))


def run(port, origin, phase, rates, results):
    """The main function of the process of healthy clients."""
    clients = Healthy(port, origin, phase, rates)
    asyncio.run(clients.run())
    results.send(dict(clients.samples))
