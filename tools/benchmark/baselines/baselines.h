#ifndef BASELINES_H
#define BASELINES_H

#include <secp256k1.h>
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

/* The key of a wallet. */
struct signer {
    secp256k1_context *context;
    uint8_t secret[32], public_key[33];
};

void fail(const char *what);
uint64_t nanoseconds(void);
uint64_t processor_nanoseconds(void);
void report(size_t count, uint64_t nanoseconds);
/* Reports the 99th percentile of the times too, which it sorts. */
void report_each(size_t count, uint64_t nanoseconds, uint64_t *times);
uint8_t *read_file(const char *path, size_t *size);
struct records read_records(const char *path);

/* DIR EVENTS COMMITS: events lie in DIR already; then each of COMMITS is put and committed. */
void lmdb_commit(char **words);
/* DIR COMMITS SIGNATURES: payments of four commits, with the checked signatures of each. */
void lmdb_payment(char **words);
/* DIR EVENTS SIZE HASH: EVENTS are put, SIZE of them a commit, and hashed if HASH is 1. */
void lmdb_batch(char **words);
/* DIR EVENTS SIZE: EVENTS, put there before the clock runs, are scanned and decoded. */
void lmdb_scan(char **words);
/* DIR PAYERS PAYMENTS: each payer makes so many payments, all at once. */
void sqlite_application(char **words);
/* EVENTS: each is hashed. */
void crypto_sha256(char **words);
/* SIGNATURES: each is verified: a public key of 33 bytes, a digest of 32, a signature of 64. */
void crypto_ecdsa(char **words);
struct signer new_signer(uint8_t seed);
/* Signs, after a check that the private key has the wallet's public key. */
void sign_digest(const struct signer *signer, const uint8_t digest[32], uint8_t compact[64]);
/* Ends the process where the signature is not the wallet's. */
void verify_signature(const struct signer *signer, const uint8_t digest[32],
                      const uint8_t compact[64]);
/* EVENTS: each is decoded; each that was decoded is encoded. */
void cbor_decode(char **words);
void cbor_encode(char **words);
size_t decode_one(const uint8_t *bytes, size_t length);
/* LINES: each is copied and split at its separators. */
void text_split(char **words);

#endif
