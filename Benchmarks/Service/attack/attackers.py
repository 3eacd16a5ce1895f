"""Harmful clients: they request hostile or hanging sources, leave, read slowly, or never end a request."""

import asyncio
import collections
import contextlib
import itertools
import os
import random
import socket
import time

from . import http1, origins
from .phases import ATTACK, STOP

#: The most requests of each kind at a time, and how many start in a second.
KINDS = {
    "hanging": (200, 3), "trickling": (100, 1), "lying": (20, 4), "hostile": (2, 2), "heavy": (1, 2),
    "slow": (3, 4), "leaving": (20, 6), "reading": (16, 4), "writing": (16, 4),
}
#: The kinds that wait for their response.
ANSWERED = ("hanging", "trickling", "lying", "hostile", "heavy", "slow")


class Attackers:
    def __init__(self, port, ports, names, kinds, phase):
        self.port, self.ports, self.kinds, self.phase = port, ports, kinds, phase
        self.names = {kind: itertools.cycle(each) for kind, each in names.items()}
        self.random = random.Random(1)
        self.numbers = itertools.count()
        self.statuses = collections.defaultdict(collections.Counter)
        self.longest = collections.defaultdict(float)
        #: Statuses by file, of hostile, heavy and slow ones.
        self.files = collections.defaultdict(collections.Counter)

    def path(self, address, name):
        source = f"http://{address}:{self.ports[address]}/{name}%3Fattack={next(self.numbers)}"
        return f"/unsafe/rs:fit:320:240/plain/{source}"

    async def ask(self, kind, address, name):
        """Sends a request and waits for its response."""
        begun, path = time.monotonic(), self.path(address, name)
        try:
            status = (await http1.get(self.port, path)).status
        except (OSError, EOFError, TimeoutError) as error:
            status = type(error).__name__
        self.statuses[kind][status] += 1
        self.longest[kind] = max(self.longest[kind], time.monotonic() - begun)
        return status

    async def hanging(self):
        await self.ask("hanging", origins.HANGING, "hang")

    async def trickling(self):
        await self.ask("trickling", origins.TRICKLING, "trickle")

    async def lying(self):
        await self.ask("lying", origins.LYING, f"lie{self.random.randrange(1000)}")

    async def hostile(self, kind="hostile"):
        name = next(self.names[kind])
        self.files[name][await self.ask(kind, origins.HOSTILE, name)] += 1

    async def heavy(self):
        await self.hostile("heavy")

    async def slow(self):
        await self.hostile("slow")

    async def leaving(self):
        """Leaves while a healthy image is made, or while the origin hangs."""
        address, name = self.random.choice([(origins.HEALTHY, "healthy"), (origins.HANGING, "hang")])
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(http1.request(self.path(address, name)))
        await asyncio.sleep(self.random.random() * 0.3)
        writer.transport.abort()

    async def held(self, text, read, write, seconds=60):
        """Holds a connection with small buffers; sends a byte or reads a few each second."""
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        bound.setblocking(False)
        loop, end = asyncio.get_running_loop(), time.monotonic() + seconds
        try:
            await loop.sock_connect(bound, ("127.0.0.1", self.port))
            await loop.sock_sendall(bound, text)
            while time.monotonic() < end and self.phase.kind == ATTACK:
                await asyncio.sleep(1)
                if write:
                    await loop.sock_sendall(bound, b"x")
                if read and not await loop.sock_recv(bound, 256):
                    return
        finally:
            bound.close()

    async def reading(self):
        path = f"/unsafe/f:png/plain/http://{origins.HEALTHY}:{self.ports[origins.HEALTHY]}/large"
        await self.held(http1.request(path), read=self.random.random() < 0.7, write=False)

    async def writing(self):
        await self.held(b"GET /unsafe/plain/http:", read=False, write=True)

    async def attack(self, kind):
        limit, rate = KINDS[kind]
        running = set()

        async def one():
            try:
                await getattr(self, kind)()
                if kind not in ANSWERED:
                    self.statuses[kind]["ended"] += 1
            except (OSError, EOFError, TimeoutError) as error:
                self.statuses[kind][type(error).__name__] += 1

        while self.phase.kind != STOP:
            await asyncio.sleep(1 / rate)
            if self.phase.kind == ATTACK and len(running) < limit:
                task = asyncio.create_task(one())
                running.add(task)
                task.add_done_callback(running.discard)
        for task in running:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*running, return_exceptions=True)

    async def run(self):
        await asyncio.gather(*map(self.attack, self.kinds))


def run(port, ports, names, kinds, phase, results, nice):
    """The main function of the process of attackers."""
    os.nice(nice)
    attackers = Attackers(port, ports, names, kinds, phase)
    asyncio.run(attackers.run())
    results.send(tuple(map(dict, (attackers.statuses, attackers.longest, attackers.files))))
