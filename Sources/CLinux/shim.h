#ifndef DAYBOOK_CLINUX_SHIM_H
#define DAYBOOK_CLINUX_SHIM_H

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Hidden where no GNU extensions are asked for, as here.
#define DAYBOOK_OFD_SETLK 37

// Calls that Swift can't make: they take arguments of any number, or are hidden in the C library.

// Nobody but root may look into this process's memory, and it leaves no core (prctl(2)).
static inline int daybook_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Takes space for a file's first bytes and leaves its length (fallocate(2)).
static inline int daybook_reserve(int descriptor, long bytes) {
    return (int)syscall(SYS_fallocate, descriptor, FALLOC_FL_KEEP_SIZE, 0L, bytes);
}

// Locks one byte of a file for whoever opened it, unless another has it (F_OFD_SETLK, fcntl(2)).
static inline int daybook_lock_byte(int descriptor, long byte) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(descriptor, DAYBOOK_OFD_SETLK, &lock);
}

// On how many processors the process may run (sched_getaffinity(2)), of 8192 at most.
static inline int daybook_cores(void) {
    unsigned char allowed[1024] = {0};
    long length = syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed);
    int cores = 0;
    for (long index = 0; index < length; index++) cores += __builtin_popcount(allowed[index]);
    return cores;
}

// A rename that fails with EEXIST where something lies at the new path (rename(2)).
static inline int daybook_rename_to_free(const char *path, const char *free_path) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, free_path, RENAME_NOREPLACE);
}

#endif
