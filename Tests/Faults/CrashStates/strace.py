"""Reads a log of strace: the system calls by which a program changed files."""

import os
import re

CALLS = (
    "open,openat,creat,close,dup,dup2,dup3,fcntl,lseek,mmap,write,pwrite64,writev,pwritev,pwritev2,"
    "ftruncate,truncate,fallocate,copy_file_range,sendfile,msync,sync,syncfs,sync_file_range,"
    "fsync,fdatasync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,"
    "mkdir,mkdirat,rmdir,clone,clone3,fork,vfork"
)

_LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>)?(.*)", re.S)
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')


def command(output):
    """The command that runs a program under strace, with the log in the file `output`."""
    return ["strace", "-f", "-xx", "-s", str(1 << 24), "-e", f"trace={CALLS}", "-o", output]


def calls(path):
    """Yields every call that succeeded, in the order of their ends: name, texts, rest, result.

    `texts` are the byte strings among the arguments; in `rest` each stands as `$`.
    """
    begun = {}
    with open(path, encoding="ascii", errors="replace") as lines:
        for line in lines:
            process, resumed, text = _LINE.match(line.rstrip("\n")).groups()
            if resumed:
                text = begun.pop(process) + text
            if text.endswith("<unfinished ...>"):
                begun[process] = text[: -len("<unfinished ...>")].rstrip()
                continue
            found = _CALL.match(text)
            if not found:
                continue
            name, arguments, result = found.groups()
            if result == "?" or result.startswith("-"):
                continue
            texts = []
            for match in _TEXT.finditer(arguments):
                if match[2]:
                    raise ValueError(f"strace has cut off a text of {name}")
                texts.append(bytes.fromhex(match[1].replace("\\x", "")))
            yield name, texts, _TEXT.sub("$", arguments), int(result, 0)


def split(rest):
    """The arguments that are not text, as text."""
    return [word.strip() for word in rest.split(",")]


def absolute(path):
    path = os.fsdecode(path)
    if not path.startswith("/"):
        raise ValueError(f"{path} is relative")
    return os.path.normpath(path)
