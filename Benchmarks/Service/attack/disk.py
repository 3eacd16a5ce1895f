"""A small disk for the cache that can be filled and emptied without harm to the machine's own."""

import contextlib
import pathlib
import subprocess

MOUNTED = 'mount -t tmpfs -o size="$1",mode=700 tmpfs "$0" && shift && exec "$@"'


class SmallDisk:
    """A tmpfs in a mount namespace of the service's own, which ends with it."""

    def __init__(self, folder, byte_count):
        self.folder = pathlib.Path(folder).resolve()
        self.before = ["unshare", "-rm", "sh", "-c", MOUNTED, str(self.folder), str(byte_count)]
        self.name = f"a tmpfs of {byte_count >> 20} MiB in a namespace of the service's own"
        self.pid, self.fillings = None, 0

    def is_possible(self):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            return subprocess.run([*self.before, "true"], capture_output=True, timeout=10).returncode == 0
        return False

    @property
    def ballast(self):
        return pathlib.Path(f"/proc/{self.pid}/root{self.folder}", "ballast")

    def start(self, pid):
        """Checks that the folder is on the small disk and on no other."""
        self.pid = pid
        if self.ballast.parent.stat().st_dev == self.folder.stat().st_dev:
            raise RuntimeError(f"{self.folder} is not on a disk of its own")

    def fill(self):
        """Takes all free space; a further call takes the space that the service has freed."""
        self.fillings += 1
        with contextlib.suppress(OSError), open(self.ballast, "ab", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass

    def empty(self):
        self.ballast.unlink(missing_ok=True)


class ReadOnlyFolder:
    """The stand-in where nothing can be mounted: folders that take no files instead of a full disk."""

    def __init__(self, folder):
        self.folder, self.before, self.fillings = pathlib.Path(folder), [], 0
        self.name = "folders that are read-only for a time, since nothing can be mounted here"

    def is_possible(self):
        """Whether the user may not write to such folders, either."""
        probe = self.folder / "probe"
        self.folder.chmod(0o500)
        try:
            probe.write_bytes(b"")
        except OSError:
            return True
        finally:
            self.folder.chmod(0o700)
        probe.unlink()
        return False

    def start(self, pid):
        pass

    def set_mode(self, mode):
        for folder in [self.folder, *self.folder.rglob("*")]:
            with contextlib.suppress(FileNotFoundError):
                if folder.is_dir():
                    folder.chmod(mode)

    def fill(self):
        self.fillings += 1
        if self.fillings % 50 == 1:
            self.set_mode(0o500)

    def empty(self):
        self.set_mode(0o700)


class LargeDisk:
    """The machine's own disk, which is never filled."""

    before, fillings = [], None
    name = "none, since nothing can be mounted here, and no folder is read-only for this user"

    def start(self, pid):
        pass

    def fill(self):
        pass

    def empty(self):
        pass


def small_disk(folder, byte_count, stand_in=False):
    """The best that is possible here."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for disk in [SmallDisk(folder, byte_count)] * (not stand_in) + [ReadOnlyFolder(folder)]:
        if disk.is_possible():
            return disk
    return LargeDisk()
