"""Signals to processes and to all that they started."""
import os, pathlib, signal, time


def parent(process):
    """The id of a process's parent; None if there is no such process."""
    try:
        # The name in parentheses may have blanks.
        words = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if words[0] == "Z" else int(words[1])


def tree(process):
    """A process and all that descend from it, parents first."""
    parents = {int(entry): parent(entry) for entry in os.listdir("/proc") if entry.isdecimal()}
    found = [process] if parents.get(process) else []
    for ancestor in found:
        found += [child for child, above in parents.items() if above == ancestor]
    return found


def send(number, processes):
    """Sends a signal to processes; those that have ended are left out."""
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def kill(*roots):
    """Kills processes and all that descend from them, as a machine without power does."""
    found = []
    # A stopped process can start nothing more.
    for root in roots:
        send(signal.SIGSTOP, [root])
        found += tree(root)
    send(signal.SIGKILL, found)
    while any(parent(process) is not None for process in found):
        time.sleep(0.01)
