#ifndef DAYBOOK_CLINUX_SHIM_H
#define DAYBOOK_CLINUX_SHIM_H

#include <fcntl.h>
#include <linux/falloc.h>
#include <errno.h>
#include <linux/fs.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "wipe.h"

// Hidden where no GNU extensions are asked for, as here.
#define DAYBOOK_OFD_SETLK 37
#define DAYBOOK_OFD_SETLKW 38

// Calls that Swift can't make: they take arguments of any number, or are hidden in the C library.

// Nobody but root may look into this process's memory, and it leaves no core (prctl(2)).
static inline int daybook_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Takes space for a file's first bytes and leaves its length (fallocate(2)).
static inline int daybook_reserve(int descriptor, long bytes) {
    return (int)syscall(SYS_fallocate, descriptor, FALLOC_FL_KEEP_SIZE, 0L, bytes);
}

// Locks one byte of a file for whoever opened it (fcntl(2)); unless it `waits`, it fails if another
// has the byte.
static inline int daybook_lock_byte(int descriptor, long byte, int waits) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(descriptor, waits ? DAYBOOK_OFD_SETLKW : DAYBOOK_OFD_SETLK, &lock);
}

// Blocks of so many bytes are pages of their own (mallopt(3)); Swift's Glibc lacks malloc.h.
static inline int daybook_set_mmap_threshold(int bytes) {
    return mallopt(M_MMAP_THRESHOLD, bytes);
}

// The new program has no descriptor from `lowest` on (posix_spawn_file_actions_addclosefrom_np).
// Declared here without <spawn.h>, whose types would otherwise belong to this module for Swift.
extern int daybook_close_from(void *actions, int lowest)
    __asm__("posix_spawn_file_actions_addclosefrom_np");

// The new program begins in a folder (posix_spawn_file_actions_addchdir_np).
extern int daybook_change_folder(void *actions, const char *folder)
    __asm__("posix_spawn_file_actions_addchdir_np");

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

// A Unix socket without a name, and the address of a path; -1 with `errno` if the path is too long.
static inline int daybook_unix_socket(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// A Unix socket of mode 0600 that listens at a path (unix(7)); -1 with `errno` if it can't.
//
// The mode is set before the socket gets its name, so that it is never open to others.
static inline int daybook_listen(const char *path) {
    struct sockaddr_un address;
    int descriptor = daybook_unix_socket(path, &address);
    if (descriptor < 0) return -1;
    if (fchmod(descriptor, 0600) == 0
        && bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0
        && listen(descriptor, 128) == 0)
        return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

// Whether a server answers at a path: 1, 0, or -1 with `errno`.
static inline int daybook_is_served(const char *path) {
    struct sockaddr_un address;
    int descriptor = daybook_unix_socket(path, &address);
    if (descriptor < 0) return -1;
    int result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    int error = errno;
    close(descriptor);
    if (result == 0 || error == EAGAIN) return 1;
    if (error == ECONNREFUSED || error == ENOENT) return 0;
    errno = error;
    return -1;
}

// Connects to a server at a path, which has five seconds for each answer; -1 with `errno`.
static inline int daybook_connect(const char *path) {
    struct sockaddr_un address;
    int descriptor = daybook_unix_socket(path, &address);
    if (descriptor < 0) return -1;
    struct timeval limit = {5, 0};
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0
        && setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0
        && connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0
        && fcntl(descriptor, F_SETFL, 0) == 0)
        return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

// Whether a descriptor is a Unix socket that listens for streams (sd_is_socket_unix(3)).
static inline int daybook_is_listening(int descriptor) {
    int domain = 0, type = 0, listens = 0;
    socklen_t size = sizeof(int);
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0
        && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0
        && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0
        && domain == AF_UNIX && type == SOCK_STREAM && listens != 0;
}

// Accepts a client of a listening socket, without waiting for one (accept(2)).
static inline int daybook_accept(int descriptor) {
    return (int)syscall(
        SYS_accept4, descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// The user of a socket's other end, or -1 (SO_PEERCRED, unix(7)).
static inline long daybook_peer_user(int descriptor) {
    struct { int process; unsigned int user, group; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    return (long)peer.user;
}

#endif
