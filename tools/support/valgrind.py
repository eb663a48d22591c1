"""Runs programs in valgrind."""
import subprocess

import project

# Valgrind writes to the mask that a thread waits with; libdispatch has it in constant memory.
SIGSUSPEND = """
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
"""


def command(tool, *options):
    """The command under which a program runs in a tool of valgrind."""
    library = project.BUILD / "sigsuspend.so"
    subprocess.run(["clang", "-shared", "-fPIC", "-o", library, "-x", "c", "-"],
                   input=SIGSUSPEND, text=True, check=True)
    return ["env", f"LD_PRELOAD={library}", "valgrind", f"--tool={tool}", "--fair-sched=yes",
            *options]
