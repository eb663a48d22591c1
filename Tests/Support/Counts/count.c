// Counts the allocations of a program and its writes to LMDB's files.
// `tools/support/counting.py` preloads it.
//
// glibc lets a library replace its allocator:
// https://www.gnu.org/software/libc/manual/html_node/Replacing-malloc.html
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count();
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

// The folders of LMDB's files.
static const char *const folders[] = {"log", "sandbox"};
enum { FOLDERS = sizeof folders / sizeof *folders };
static atomic_long commits[FOLDERS], pages[FOLDERS];

// The index of the folder whose file a descriptor has open; -1 for another file.
static int folder(int descriptor) {
    char link[64], path[4096], end[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return -1;
    path[length] = 0;
    for (int index = 0; index < FOLDERS; index++) {
        ssize_t size = snprintf(end, sizeof end, "/%s/data.mdb", folders[index]);
        if (length >= size && strcmp(path + length - size, end) == 0) return index;
    }
    return -1;
}

static void written(int descriptor, ssize_t bytes) {
    int index = bytes > 0 ? folder(descriptor) : -1;
    if (index >= 0) atomic_fetch_add(&pages[index], (bytes + 4095) / 4096);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t place) {
    ssize_t done = syscall(SYS_pwrite64, descriptor, bytes, count, place);
    written(descriptor, done);
    return done;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
    return pwrite64(descriptor, bytes, count, place);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    ssize_t done = syscall(SYS_writev, descriptor, parts, count);
    written(descriptor, done);
    return done;
}

int fdatasync(int descriptor) {
    int index = folder(descriptor);
    if (index >= 0) atomic_fetch_add(&commits[index], 1);
    return (int)syscall(SYS_fdatasync, descriptor);
}

// Writes lines of a name and a number to the file in COUNTED.
__attribute__((destructor)) static void report(void) {
    const char *path = getenv("COUNTED");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0) return;
    dprintf(file, "allocations %ld\n", atomic_load(&allocations));
    for (int index = 0; index < FOLDERS; index++) {
        dprintf(file, "%s.commits %ld\n", folders[index], atomic_load(&commits[index]));
        dprintf(file, "%s.pages %ld\n", folders[index], atomic_load(&pages[index]));
    }
    close(file);
}
