"""The phase of a run, one number that all of its processes share."""

import multiprocessing

#: Hits alone and not measured, all healthy clients and not measured, the service alone, under attack.
IDLE, WARM, QUIET, ATTACK = range(4)
STOP = -1


class Phase:
    def __init__(self):
        self.shared = multiprocessing.Value("i", IDLE, lock=False)

    def begin(self, kind, number=0):
        self.shared.value = kind if kind == STOP else 4 * number + kind

    @property
    def current(self):
        """The phase and the number of its round; measured samples belong to those in which they were sent."""
        value = self.shared.value
        return (STOP, 0) if value == STOP else (value % 4, value // 4)

    @property
    def kind(self):
        return self.current[0]
