/* The baselines of tools/bench: the same work by the libraries alone.
 *
 * Each baseline reads the files of daybook-bench, does the work in plain C, and prints the number
 * of things done and the nanoseconds: of the clock where it waits for a disk, otherwise of the
 * processor. A record is a length of 32 bits in the machine's byte order and as many bytes; a group
 * of records is a commit. */
#include "baselines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void fail(const char *what)
{
    fprintf(stderr, "baseline: %s\n", what);
    exit(1);
}

uint64_t nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t processor_nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void report(size_t count, uint64_t nanoseconds)
{
    printf("%zu %llu\n", count, (unsigned long long)nanoseconds);
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void report_each(size_t count, uint64_t nanoseconds, uint64_t *times)
{
    qsort(times, count, sizeof *times, compare);
    printf("%zu %llu %llu\n", count, (unsigned long long)nanoseconds,
           (unsigned long long)(count ? times[(count - 1) * 99 / 100] : 0));
}

uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail(path);
    fclose(file);
    bytes[*size] = 0;
    return bytes;
}

struct records read_records(const char *path)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    struct records records = {0};
    size_t room = 0;
    for (size_t offset = 0; offset + 4 <= size;) {
        uint32_t length;
        memcpy(&length, bytes + offset, 4);
        if (records.count == room) {
            room = room ? room * 2 : 1024;
            records.items = realloc(records.items, room * sizeof *records.items);
            if (!records.items) fail("memory");
        }
        records.items[records.count++] = (struct record){bytes + offset + 4, length};
        offset += 4 + length;
    }
    return records;
}

int main(int count, char **words)
{
    const struct { const char *name; int words; void (*run)(char **); } baselines[] = {
        {"commit", 3, lmdb_commit}, {"payment", 3, lmdb_payment}, {"batch", 4, lmdb_batch},
        {"scan", 3, lmdb_scan}, {"application", 3, sqlite_application},
        {"sha256", 1, crypto_sha256}, {"ecdsa", 1, crypto_ecdsa},
        {"decode", 1, cbor_decode}, {"encode", 1, cbor_encode}, {"split", 1, text_split},
    };
    for (size_t index = 0; index < sizeof baselines / sizeof *baselines; index++) {
        if (count - 2 != baselines[index].words || strcmp(words[1], baselines[index].name) != 0)
            continue;
        baselines[index].run(words + 2);
        return 0;
    }
    fprintf(stderr, "usage: baselines NAME ARGUMENT…\n");
    return 2;
}
