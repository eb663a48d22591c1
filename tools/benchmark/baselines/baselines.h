#ifndef BASELINES_H
#define BASELINES_H

#include <stddef.h>
#include <stdint.h>

struct record {
    const uint8_t *bytes;
    uint32_t length;
};

struct records {
    struct record *items;
    size_t count;
};

void fail(const char *what);
uint64_t nanoseconds(void);
uint64_t processor_nanoseconds(void);
void report(size_t count, uint64_t nanoseconds);
/* Reports the 99th percentile of the times too, which it sorts. */
void report_each(size_t count, uint64_t nanoseconds, uint64_t *times);
uint8_t *read_file(const char *path, size_t *size);
struct records read_records(const char *path);

/* DIR EVENTS COMMITS CHAIN SIGNATURES: events lie in DIR already; then each of COMMITS is put and
 * committed, each record of CHAIN in an environment of its own, and SIGNATURES are made along. */
void lmdb_commit(char **words);
/* DIR EVENTS SIZE HASH: EVENTS are put, SIZE of them a commit, and hashed if HASH is 1. */
void lmdb_batch(char **words);
/* DIR EVENTS SIZE: EVENTS, put there before the clock runs, are scanned and decoded. */
void lmdb_scan(char **words);
/* DIR EVENTS COMMITS CHAIN SIGNATURES: as lmdb_commit, in tables of SQLite. */
void sqlite_commit(char **words);
/* EVENTS: each is hashed. */
void crypto_sha256(char **words);
/* SIGNATURES: each is verified: a public key of 33 bytes, a digest of 32, a signature of 64. */
void crypto_ecdsa(char **words);
void sign_all(const struct records *signatures);
/* EVENTS: each is decoded; each that was decoded is encoded. */
void cbor_decode(char **words);
void cbor_encode(char **words);
size_t decode_one(const uint8_t *bytes, size_t length);
/* LINES: each is copied and split at its separators. */
void text_split(char **words);

#endif
