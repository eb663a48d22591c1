/* The same bytes in the same commits through liblmdb. */
#include "baselines.h"

#include <lmdb.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

struct lmdb {
    MDB_env *environment;
    MDB_dbi events;
    uint64_t next;
};

static void check(int code)
{
    if (code) fail(mdb_strerror(code));
}

static struct lmdb lmdb_open(const char *path)
{
    struct lmdb lmdb = {0};
    MDB_txn *transaction;
    check(mdb_env_create(&lmdb.environment));
    check(mdb_env_set_maxdbs(lmdb.environment, 32));
    check(mdb_env_set_mapsize(lmdb.environment, (size_t)1 << 36));
    check(mdb_env_open(lmdb.environment, path, MDB_NOTLS, 0600));
    check(mdb_txn_begin(lmdb.environment, NULL, 0, &transaction));
    check(mdb_dbi_open(transaction, "events", MDB_CREATE, &lmdb.events));
    check(mdb_txn_commit(transaction));
    return lmdb;
}

/* The key is the position, its highest byte first, as Daybook's. */
static void lmdb_put(struct lmdb *lmdb, MDB_txn *transaction, const uint8_t *bytes, size_t length)
{
    uint8_t key[8];
    for (int index = 0; index < 8; index++) key[index] = (uint8_t)(lmdb->next >> (56 - 8 * index));
    MDB_val name = {8, key}, value = {length, (void *)bytes};
    check(mdb_put(transaction, lmdb->events, &name, &value, MDB_APPEND));
    lmdb->next++;
}

static void lmdb_fill(struct lmdb *lmdb, const struct records *events, size_t size, int hashes)
{
    uint8_t hash[32];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const uint8_t zero = 0;
    for (size_t index = 0; index < events->count;) {
        MDB_txn *transaction;
        check(mdb_txn_begin(lmdb->environment, NULL, 0, &transaction));
        for (size_t end = index + size; index < end && index < events->count; index++) {
            const struct record *event = &events->items[index];
            lmdb_put(lmdb, transaction, event->bytes, event->length);
            if (!hashes) continue;
            EVP_DigestInit_ex(context, EVP_sha256(), NULL);
            EVP_DigestUpdate(context, &zero, 1);
            EVP_DigestUpdate(context, event->bytes, event->length);
            EVP_DigestFinal_ex(context, hash, NULL);
        }
        check(mdb_txn_commit(transaction));
    }
    EVP_MD_CTX_free(context);
}

/* A commit is a record that holds records. */
static size_t next_event(const struct record *commit, size_t offset, struct record *event)
{
    memcpy(&event->length, commit->bytes + offset, 4);
    event->bytes = commit->bytes + offset + 4;
    return offset + 4 + event->length;
}

/* Puts the records of a commit, and commits them. */
static void lmdb_commit_one(struct lmdb *lmdb, const struct record *commit)
{
    MDB_txn *transaction;
    struct record event;
    check(mdb_txn_begin(lmdb->environment, NULL, 0, &transaction));
    for (size_t offset = 0; offset < commit->length;) {
        offset = next_event(commit, offset, &event);
        lmdb_put(lmdb, transaction, event.bytes, event.length);
    }
    check(mdb_txn_commit(transaction));
}

void lmdb_commit(char **words)
{
    struct lmdb lmdb = lmdb_open(words[0]);
    struct records events = read_records(words[1]), commits = read_records(words[2]);
    lmdb_fill(&lmdb, &events, 10000, 0);
    uint64_t *times = calloc(commits.count + 1, sizeof *times);
    if (!times) fail("memory");
    uint64_t started = nanoseconds();
    for (size_t index = 0; index < commits.count; index++) {
        uint64_t before = nanoseconds();
        lmdb_commit_one(&lmdb, &commits.items[index]);
        times[index] = nanoseconds() - before;
    }
    report_each(commits.count, nanoseconds() - started, times);
}

void lmdb_payment(char **words)
{
    struct lmdb lmdb = lmdb_open(words[0]);
    struct records commits = read_records(words[1]), signatures = read_records(words[2]);
    const size_t payments = commits.count / 4;
    if (payments == 0 || commits.count % 4 != 0) fail("a payment has four commits");
    struct signer signer = new_signer(7);
    size_t made = 0;
    uint64_t started = nanoseconds();
    for (size_t index = 0; index < commits.count; index++) {
        /* The second commit has the signatures of the payment, which exist before it. */
        for (; index % 4 == 1 && made < signatures.count * (index / 4 + 1) / payments; made++) {
            const uint8_t *digest = signatures.items[made].bytes + 33;
            uint8_t signature[64];
            sign_digest(&signer, digest, signature);
            verify_signature(&signer, digest, signature);
            verify_signature(&signer, digest, signature);
        }
        lmdb_commit_one(&lmdb, &commits.items[index]);
    }
    report(payments, nanoseconds() - started);
}

void lmdb_batch(char **words)
{
    struct lmdb lmdb = lmdb_open(words[0]);
    struct records events = read_records(words[1]);
    uint64_t started = nanoseconds();
    lmdb_fill(&lmdb, &events, (size_t)atol(words[2]), atoi(words[3]));
    report(events.count, nanoseconds() - started);
}

void lmdb_scan(char **words)
{
    struct lmdb lmdb = lmdb_open(words[0]);
    struct records events = read_records(words[1]);
    lmdb_fill(&lmdb, &events, (size_t)atol(words[2]), 0);
    uint64_t started = processor_nanoseconds();
    MDB_txn *transaction;
    MDB_cursor *cursor;
    MDB_val key, value;
    size_t count = 0;
    check(mdb_txn_begin(lmdb.environment, NULL, MDB_RDONLY, &transaction));
    check(mdb_cursor_open(transaction, lmdb.events, &cursor));
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0)
        count += decode_one(value.mv_data, value.mv_size);
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    report(count, processor_nanoseconds() - started);
}
