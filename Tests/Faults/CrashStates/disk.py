"""A simulated disk that keeps only what was synced, to find what a power cut can leave of files.

The model is that of POSIX, not of a particular file system. Until `fsync` or `fdatasync` of a file
returns, its writes are on the disk whole, in part, in any order, or not at all; with O_DSYNC, each
write is on the disk when it returns. A name that is made, changed or removed belongs to its folder
and is durable after `fsync` of the folder. Sectors of 512 bytes are written whole or not.
"""

import hashlib
import os

import strace

SECTOR = 512


class File:
    def __init__(self, content=b"", mode=0o600):
        self.content = bytearray(content)
        self.mode = mode
        self.size = len(content)  # as the running program sees it


class Folder:
    def __init__(self, mode=0o700):
        self.entries = {}  # as it is on the disk
        self.live = {}  # as the running program sees it
        self.mode = mode


class Write:
    """A write to a file that is not synced yet."""

    def __init__(self, file, offset, data):
        self.node, self.offset, self.data = file, offset, data

    @property
    def sectors(self):
        first = self.offset // SECTOR
        return (self.offset + len(self.data) - 1) // SECTOR - first + 1 if self.data else 0

    def apply(self, content, kept=None):
        """Puts the bytes in place; of a torn write those of the `kept` sectors only."""
        end = self.offset + len(self.data)
        if len(content) < end:
            # A file that grew has zeros where bytes did not reach the disk.
            content.extend(bytes(end - len(content)))
        if kept is None:
            content[self.offset:end] = self.data
            return
        first = self.offset // SECTOR
        for index in kept:
            start = max(self.offset, (first + index) * SECTOR)
            stop = min(end, (first + index + 1) * SECTOR)
            content[start:stop] = self.data[start - self.offset:stop - self.offset]


class Resize:
    """A new length of a file that is not synced yet."""

    sectors = 0

    def __init__(self, file, size, growing):
        self.node, self.size, self.growing = file, size, growing

    def apply(self, content, kept=None):
        if len(content) < self.size:
            content.extend(bytes(self.size - len(content)))
        elif not self.growing:
            del content[self.size:]


class Names:
    """Names of a folder that are added, changed and removed in one step."""

    sectors = 0

    def __init__(self, folder, changes):
        self.node, self.changes = folder, changes


class Sync:
    """All unsynced steps of a file or a folder reach the disk."""

    def __init__(self, node, only=None):
        self.node, self.only = node, only


class Recording:
    """The steps by which a program changed a folder, with the folder as it was before."""

    def __init__(self, before, scene):
        self.path = os.path.realpath(scene)
        self.root = self._load(before)
        self.steps = []
        self._open = {}

    def _load(self, path):
        folder = Folder(os.stat(path).st_mode & 0o777)
        for entry in os.scandir(path):
            if entry.is_dir():
                node = self._load(entry.path)
            else:
                with open(entry.path, "rb") as file:
                    node = File(file.read(), entry.stat().st_mode & 0o777)
            folder.entries[entry.name] = folder.live[entry.name] = node
        return folder

    # The program's calls

    def follow(self, path):
        """Adds the steps of a log of strace."""
        for name, texts, rest, result in strace.calls(path):
            handler = getattr(self, "_" + name, None)
            if handler is None:
                raise ValueError(f"the call {name} is not known")
            handler(texts, strace.split(rest), result)

    def _find(self, path):
        """The folder and the name of a path; None for a path outside of the scene."""
        path = strace.absolute(path)
        if path == self.path:
            return None, ""
        if not path.startswith(self.path + "/"):
            return None, None
        folder = self.root
        *above, name = path[len(self.path) + 1:].split("/")
        for part in above:
            folder = folder.live[part]
        return folder, name

    def _node(self, path):
        folder, name = self._find(path)
        if name is None:
            return None
        return self.root if folder is None else folder.live[name]

    def _change(self, folder, changes):
        for name, node in changes.items():
            if node is None:
                folder.live.pop(name, None)
            else:
                folder.live[name] = node
        self.steps.append(Names(folder, changes))

    def _openat(self, texts, arguments, result):
        folder, name = self._find(texts[0])
        self._open.pop(result, None)
        if name is None:
            return
        flags = arguments[2].split("|")
        if folder is None:
            self._open[result] = [self.root, 0, flags]
            return
        if name not in folder.live:
            mode = int(arguments[3], 8) & ~0o022
            self._change(folder, {name: File(mode=mode)})
        node = folder.live[name]
        if "O_TRUNC" in flags and node.size:
            self._resize(node, 0)
        self._open[result] = [node, 0, flags]

    def _close(self, texts, arguments, result):
        self._open.pop(int(arguments[0]), None)

    def _copied(self, texts, arguments, result):
        if int(arguments[0]) in self._open:
            self._open[result] = self._open[int(arguments[0])]
        else:
            self._open.pop(result, None)

    _dup = _dup2 = _dup3 = _copied

    def _fcntl(self, texts, arguments, result):
        if arguments[1].startswith("F_DUPFD"):
            self._copied(texts, arguments, result)
        elif arguments[1] == "F_SETFL" and int(arguments[0]) in self._open:
            flags = self._open[int(arguments[0])][2]
            flags += [flag for flag in arguments[2].split("|") if flag not in flags]

    def _lseek(self, texts, arguments, result):
        if int(arguments[0]) in self._open:
            self._open[int(arguments[0])][1] = result

    def _mmap(self, texts, arguments, result):
        node = self._open.get(int(arguments[4]), [None])[0]
        if node is None or "MAP_SHARED" not in arguments[3] or "PROT_WRITE" not in arguments[2]:
            return
        # LMDB's lock file is the exception: what is in it means nothing after a power cut.
        if node not in [f.live.get("lock.mdb") for f in self._folders(self.root)]:
            raise ValueError("a file is written to through a map, which nobody sees")

    def _folders(self, folder):
        yield folder
        for node in folder.live.values():
            if isinstance(node, Folder):
                yield from self._folders(node)

    def _clone(self, texts, arguments, result):
        if "CLONE_FILES" not in " ".join(arguments):
            raise ValueError("the program has started another one, whose files are not followed")

    _clone3 = _clone

    def _written(self, number, offset, data):
        if number not in self._open:
            if number == 1 and data.startswith(b"promise "):
                self.steps += [line[8:] for line in data.decode().splitlines()]
            return
        opened = self._open[number]
        node, place, flags = opened
        if offset is None:
            offset = node.size if "O_APPEND" in flags else place
            opened[1] = offset + len(data)
        step = Write(node, offset, data)
        node.size = max(node.size, offset + len(data))
        self.steps.append(step)
        if "O_DSYNC" in flags or "O_SYNC" in flags:
            self.steps.append(Sync(node, only=step))

    def _write(self, texts, arguments, result):
        self._written(int(arguments[0]), None, texts[0][:result] if texts else b"")

    def _pwrite64(self, texts, arguments, result):
        self._written(int(arguments[0]), int(arguments[-1]), texts[0][:result])

    def _writev(self, texts, arguments, result):
        self._written(int(arguments[0]), None, b"".join(texts)[:result])

    def _pwritev(self, texts, arguments, result):
        self._written(int(arguments[0]), int(arguments[-1]), b"".join(texts)[:result])

    def _resize(self, node, size, growing=False):
        self.steps.append(Resize(node, size, growing))
        node.size = max(node.size, size) if growing else size

    def _ftruncate(self, texts, arguments, result):
        if int(arguments[0]) in self._open:
            self._resize(self._open[int(arguments[0])][0], int(arguments[1]))

    def _fallocate(self, texts, arguments, result):
        if int(arguments[0]) in self._open and "KEEP_SIZE" not in arguments[1]:
            end = int(arguments[2]) + int(arguments[3])
            self._resize(self._open[int(arguments[0])][0], end, growing=True)

    def _fsync(self, texts, arguments, result):
        if int(arguments[0]) in self._open:
            self.steps.append(Sync(self._open[int(arguments[0])][0]))

    _fdatasync = _fsync

    def _rename(self, texts, arguments, result):
        (folder, name), (target, new) = self._find(texts[0]), self._find(texts[1])
        if name is None and new is None:
            return
        if name is None or new is None:
            raise ValueError("something was moved into the scene or out of it")
        node = folder.live[name]
        if folder is target:
            self._change(folder, {name: None, new: node})
        else:
            # Two folders, synced one by one.
            self._change(target, {new: node})
            self._change(folder, {name: None})

    def _renameat2(self, texts, arguments, result):
        if "RENAME_EXCHANGE" in arguments[-1]:
            raise ValueError("two files changed places")
        self._rename(texts, arguments, result)

    _renameat = _rename

    def _link(self, texts, arguments, result):
        node, (folder, name) = self._node(texts[0]), self._find(texts[1])
        if name is not None:
            self._change(folder, {name: node})

    _linkat = _link

    def _unlink(self, texts, arguments, result):
        folder, name = self._find(texts[0])
        if name is not None:
            self._change(folder, {name: None})

    _unlinkat = _rmdir = _unlink

    def _mkdir(self, texts, arguments, result):
        folder, name = self._find(texts[0])
        if name is not None:
            self._change(folder, {name: Folder(int(arguments[-1], 8) & ~0o022)})

    _mkdirat = _mkdir


class Disk:
    """The files that are certainly on the disk at a moment, and those that may be."""

    def __init__(self, recording):
        self.root = recording.root
        # Steps that may be lost, and later steps of the same node.
        self.pending = []
        self.sure = set()

    def add(self, step):
        self.pending.append(step)

    def sync(self, node, only=None):
        """Makes the unsynced steps of a node durable, or only one of its writes."""
        own = [step for step in self.pending if step.node is node]
        if only is not None:
            self.sure.add(only)
            if not all(step in self.sure for step in own):
                return
        for step in own:
            if isinstance(step, Names):
                _rename(node.entries, step.changes)
            else:
                step.apply(node.content)
        self.pending = [step for step in self.pending if step.node is not node]
        self.sure.difference_update(own)

    @property
    def open(self):
        """The steps that may be on the disk or not."""
        return [step for step in self.pending if step not in self.sure]

    def state(self, choice):
        """The files and folders by path, if the steps in `choice` have reached the disk too.

        `choice` maps a step's number in `open` to its written sectors, or to None for all of them.
        """
        names, contents = {}, {}
        number = 0
        for step in self.pending:
            if step in self.sure:
                kept = None
            else:
                number += 1
                if number - 1 not in choice:
                    continue
                kept = choice[number - 1]
            if isinstance(step, Names):
                entries = names.setdefault(step.node, dict(step.node.entries))
                _rename(entries, step.changes)
            else:
                content = contents.get(step.node)
                if content is None:
                    content = contents[step.node] = bytearray(step.node.content)
                step.apply(content, kept)
        state = {}
        self._collect(self.root, "", names, contents, state)
        return state

    def _collect(self, folder, path, names, contents, state):
        state[path] = (folder.mode, None)
        for name, node in names.get(folder, folder.entries).items():
            if isinstance(node, Folder):
                self._collect(node, f"{path}/{name}", names, contents, state)
            else:
                state[f"{path}/{name}"] = (node.mode, contents.get(node, node.content))


def _rename(entries, changes):
    for name, node in changes.items():
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node


def digest(state):
    """A hash of a state, to find equal ones."""
    sha = hashlib.blake2b(digest_size=16)
    for path in sorted(state):
        mode, content = state[path]
        sha.update(f"{path}\0{mode}\0{-1 if content is None else len(content)}\0".encode())
        if content is not None:
            sha.update(content)
    return sha.digest()


def lay_out(state, path):
    """Writes the files and folders of a state under a path that does not exist yet."""
    for name in sorted(state):
        mode, content = state[name]
        if content is None:
            os.mkdir(path + name, mode)
        else:
            with open(path + name, "wb", opener=lambda p, f: os.open(p, f, mode)) as file:
                file.write(content)
