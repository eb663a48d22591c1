// Runs a program, counts the system calls that it makes, and makes one of them fail.
//
//     fault-tracer REPORT FAULT CALL PROGRAM [WORD …]
//
// FAULT is `none`; `kill`; `crash`; `short`, fewer bytes are moved than requested; `ignored`, a
// write fails but reports success; `memory`, the writable memory of the process is copied into
// REPORT.memory; or the name of an error such as `EIO`. CALL is the number of the call that fails,
// from 1, or `N+` for that one and all later ones that can fail so. Calls of all threads and
// children are counted together, those of a process from when it forbids core dumps: before that
// the loader works, not the program. REPORT gets a line for each call: its number, its name, its
// descriptor or path, the faults that it can meet, `met` if it met one; and at the end the exit
// status or signal of the program.
//
// A preloaded library could do this only to calls that go through the C library's symbols; strace
// counts each thread separately and can't make a write short.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
int main(void) {
    fputs("fault-tracer: only x86-64 is supported\n", stderr);
    return 2;
}
#else

// The kind of a call, which decides with what errors it can fail.
enum {
    READS = 1,    // moves bytes in: may be short
    WRITES = 2,   // moves bytes out: may be short, needs space
    WAITS = 4,    // a signal may interrupt it
    GROWS = 8,    // needs space on the disk
    OPENS = 16,   // needs a descriptor
    DEVICE = 32,  // the device may fail
    MAPS = 64,    // needs memory or a thread
    PATH = 128,   // its first argument is a path
    PATH_AT = 256 // its second argument is a path
};

static const struct {
    long number;
    const char *name;
    int does;
} calls[] = {
    {SYS_open, "open", WAITS | GROWS | OPENS | DEVICE | PATH},
    {SYS_openat, "openat", WAITS | GROWS | OPENS | DEVICE | PATH_AT},
    {SYS_read, "read", READS | WAITS | DEVICE},
    {SYS_pread64, "pread64", READS | WAITS | DEVICE},
    {SYS_readv, "readv", READS | WAITS | DEVICE},
    {SYS_write, "write", WRITES | WAITS | GROWS | DEVICE},
    {SYS_pwrite64, "pwrite64", WRITES | WAITS | GROWS | DEVICE},
    {SYS_writev, "writev", WRITES | WAITS | GROWS | DEVICE},
    {SYS_pwritev, "pwritev", WRITES | WAITS | GROWS | DEVICE},
    {SYS_fsync, "fsync", WAITS | GROWS | DEVICE},
    {SYS_fdatasync, "fdatasync", WAITS | GROWS | DEVICE},
    {SYS_msync, "msync", DEVICE},
    {SYS_rename, "rename", GROWS | DEVICE | PATH},
    {SYS_renameat2, "renameat2", GROWS | DEVICE | PATH_AT},
    {SYS_link, "link", GROWS | DEVICE | PATH},
    {SYS_linkat, "linkat", GROWS | DEVICE | PATH_AT},
    {SYS_unlink, "unlink", DEVICE | PATH},
    {SYS_unlinkat, "unlinkat", DEVICE | PATH_AT},
    {SYS_rmdir, "rmdir", DEVICE | PATH},
    {SYS_mkdir, "mkdir", GROWS | DEVICE | PATH},
    {SYS_chmod, "chmod", DEVICE | PATH},
    {SYS_fchmod, "fchmod", DEVICE},
    {SYS_ftruncate, "ftruncate", WAITS | DEVICE},
    {SYS_fallocate, "fallocate", WAITS | GROWS | DEVICE},
    {SYS_flock, "flock", WAITS},
    {SYS_fcntl, "fcntl", 0},
    {SYS_stat, "stat", DEVICE | PATH},
    {SYS_lstat, "lstat", DEVICE | PATH},
    {SYS_fstat, "fstat", DEVICE},
    {SYS_newfstatat, "newfstatat", DEVICE | PATH_AT},
    {SYS_statx, "statx", DEVICE | PATH_AT},
    {SYS_statfs, "statfs", WAITS | DEVICE | PATH},
    {SYS_access, "access", DEVICE | PATH},
    {SYS_faccessat, "faccessat", DEVICE | PATH_AT},
    {SYS_faccessat2, "faccessat2", DEVICE | PATH_AT},
    {SYS_readlink, "readlink", DEVICE | PATH},
    {SYS_getdents64, "getdents64", DEVICE},
    {SYS_lseek, "lseek", 0},
    {SYS_mmap, "mmap", MAPS},
    {SYS_getrandom, "getrandom", READS | WAITS},
    {SYS_pipe2, "pipe2", OPENS},
    {SYS_socket, "socket", OPENS},
    {SYS_connect, "connect", WAITS},
    {SYS_poll, "poll", WAITS},
    {SYS_wait4, "wait4", WAITS},
    {SYS_clone, "clone", MAPS},
    {SYS_clone3, "clone3", MAPS},
    {SYS_execve, "execve", DEVICE | PATH},
    {SYS_prlimit64, "prlimit64", 0},
    {SYS_prctl, "prctl", 0},
};
enum { KINDS = sizeof calls / sizeof calls[0] };

static const struct fault {
    const char *name;
    int code;
    int meets; // the calls that can have it, by what they do; -1 for any
} faults[] = {
    {"EIO", EIO, DEVICE},    {"ENOSPC", ENOSPC, GROWS}, {"EINTR", EINTR, WAITS},
    {"EMFILE", EMFILE, OPENS}, {"ENOMEM", ENOMEM, MAPS}, {"EAGAIN", EAGAIN, MAPS},
    {"short", 0, READS | WRITES}, {"ignored", 0, WRITES}, {"kill", 0, -1},
    {"crash", 0, -1}, {"memory", 0, -1},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static FILE *report;
static const char *report_path;
static const struct fault *fault;
static int fault_goes_on;
static long fault_call, count;
// Processes whose loader still works.
static pid_t loading[64];
enum { MANY = sizeof loading / sizeof loading[0] };

static void fail(const char *what) {
    perror(what);
    exit(125);
}

/// Copies the writable memory of a process, except mapped database files.
static void copy_memory(pid_t pid) {
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s.memory", report_path);
    FILE *copy = fopen(path, "we");
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    if (!copy || !maps || memory < 0) fail("memory");
    static char buffer[1 << 16];
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[1] != 'w') continue;
        // Database files are searched on the disk.
        if (strstr(line, ".mdb")) continue;
        for (ssize_t length; start < end; start += (unsigned long)length) {
            length = pread(memory, buffer, sizeof buffer, (off_t)start);
            if (length <= 0) break;
            fwrite(buffer, 1, (size_t)length, copy);
        }
    }
    close(memory);
    fclose(maps);
    if (fclose(copy) != 0) fail("memory");
}

static void run(char **words) {
    // Every call of the table stops the program; all others run at full speed.
    struct sock_filter filter[KINDS * 2 + 2];
    int length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int kind = 0; kind < KINDS; kind++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[kind].number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)length, filter};
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) fail("ptrace");
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("seccomp");
    execv(words[0], words);
    fail(words[0]);
}

enum { PATH_BYTES = 4097 };

/// Writes the path or the descriptor of a call.
static void describe(
    pid_t pid, int does, const struct user_regs_struct *registers, char about[PATH_BYTES]
) {
    unsigned long address = does & PATH ? registers->rdi : does & PATH_AT ? registers->rsi : 0;
    if (address == 0) {
        snprintf(about, PATH_BYTES, "%d", (int)registers->rdi);
        return;
    }
    // By pages, because the next one may not be readable: then the call reads the first alone.
    unsigned long rest = 4096 - address % 4096;
    struct iovec to = {about, PATH_BYTES - 1};
    struct iovec from[] = {{(void *)address, rest}, {(void *)(address + rest), 4096}};
    ssize_t length = process_vm_readv(pid, &to, 1, from, 2, 0);
    about[length < 0 ? 0 : length] = 0;
    if (!about[0]) snprintf(about, PATH_BYTES, "?");
}

static int can_meet(
    const struct fault *fault, long number, int does, const struct user_regs_struct *registers,
    const char *about
) {
    if (fault->meets == -1) return 1;
    if (!(does & fault->meets)) return 0;
    // The runtime reads about its threads there, and can't work without it.
    if (number == SYS_openat && strncmp(about, "/proc/", 6) == 0) return 0;
    // Opening a file that exists takes no space.
    if (fault->code == ENOSPC && number == SYS_openat) return (registers->rdx & O_CREAT) != 0;
    // A single byte can't be cut.
    if (fault->meets & READS) return registers->rdx > 1;
    return 1;
}

/// Counts and reports a call before the kernel runs it, and lets it fail if it is the chosen one.
static void meet(pid_t pid) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0) return;
    int kind = 0;
    while (kind < KINDS && calls[kind].number != (long)registers.orig_rax) kind++;
    if (kind == KINDS) return;
    int does = calls[kind].does;
    // Calls that only read a limit or a property of the process are left out.
    if (calls[kind].number == SYS_prlimit64 && (registers.rsi != 4 || registers.rdx == 0)) return;
    if (calls[kind].number == SYS_prctl && registers.rdi != PR_SET_DUMPABLE) return;
    // Waiting for a lock can be interrupted, no other use of fcntl.
    if (calls[kind].number == SYS_fcntl && registers.rsi == F_SETLKW) does |= WAITS;
    // Anonymous memory belongs to the runtime.
    if (calls[kind].number == SYS_mmap && (int)registers.r8 == -1) return;
    for (int i = 0; i < MANY; i++) {
        if (loading[i] != pid) continue;
        if (calls[kind].number != SYS_prlimit64) return;
        loading[i] = 0;
    }
    count++;
    char about[PATH_BYTES];
    describe(pid, calls[kind].does, &registers, about);
    int is_turn = fault_goes_on ? count >= fault_call : count == fault_call, is_met = 0;
    fprintf(report, "%ld %s %s can", count, calls[kind].name, about);
    for (int i = 0; i < FAULTS; i++) {
        if (!can_meet(&faults[i], calls[kind].number, does, &registers, about)) continue;
        fprintf(report, " %s", faults[i].name);
        if (is_turn && &faults[i] == fault) is_met = 1;
    }
    fputs(is_met ? " met\n" : "\n", report);
    if (!is_met) return;
    if (strcmp(fault->name, "kill") == 0) {
        kill(pid, SIGKILL);
    } else if (strcmp(fault->name, "crash") == 0) {
        kill(pid, SIGSEGV);
    } else if (strcmp(fault->name, "memory") == 0) {
        copy_memory(pid);
    } else if (strcmp(fault->name, "short") == 0) {
        registers.rdx = (registers.rdx + 1) / 2;
        ptrace(PTRACE_SETREGS, pid, 0, &registers);
    } else {
        // The kernel skips the call, and the program sees this result.
        int is_ignored = strcmp(fault->name, "ignored") == 0;
        registers.orig_rax = (unsigned long)-1;
        registers.rax = is_ignored ? registers.rdx : (unsigned long)-fault->code;
        ptrace(PTRACE_SETREGS, pid, 0, &registers);
    }
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fputs("usage: fault-tracer REPORT FAULT CALL PROGRAM [WORD …]\n", stderr);
        return 125;
    }
    for (int i = 0; i < FAULTS; i++)
        if (strcmp(faults[i].name, argv[2]) == 0) fault = &faults[i];
    if (!fault && strcmp(argv[2], "none") != 0) {
        fprintf(stderr, "fault-tracer: there is no fault %s\n", argv[2]);
        return 125;
    }
    char *rest;
    fault_call = strtol(argv[3], &rest, 10);
    fault_goes_on = *rest == '+';
    report_path = argv[1];
    report = fopen(report_path, "we");
    if (!report) fail(argv[1]);

    pid_t first = fork();
    if (first == 0) run(argv + 4);
    int status;
    if (first < 0 || waitpid(first, &status, 0) != first) fail("fork");
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK
        | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    // This program's own execv is not counted.
    loading[0] = first;
    if (ptrace(PTRACE_SETOPTIONS, first, 0, options) != 0) fail("ptrace");
    ptrace(PTRACE_CONT, first, 0, 0);
    int end = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            if (pid == first) end = status;
            continue;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_SECCOMP) meet(pid);
        if (event == PTRACE_EVENT_EXEC) {
            int i = 0;
            while (i < MANY - 1 && loading[i] != 0) i++;
            loading[i] = pid;
        }
        // A new thread or child begins with a stop of the tracer's, which it must not see.
        if (event != 0 || signal == SIGSTOP) signal = 0;
        ptrace(PTRACE_CONT, pid, 0, signal);
    }
    if (WIFSIGNALED(end))
        fprintf(report, "killed %d%s\n", WTERMSIG(end), WCOREDUMP(end) ? " dumped" : "");
    else fprintf(report, "exited %d\n", WEXITSTATUS(end));
    fclose(report);
    return WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
}
#endif
