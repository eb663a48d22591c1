/* The same bytes in the same commits through liblmdb and through SQLite. */
#include "baselines.h"

#include <lmdb.h>
#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Puts the records of each commit, commits them, and notes how long that took. */
static void lmdb_commit_each(struct lmdb *lmdb, const struct records *commits, uint64_t *times)
{
    for (size_t index = 0; index < commits->count; index++) {
        MDB_txn *transaction;
        uint64_t started = nanoseconds();
        check(mdb_txn_begin(lmdb->environment, NULL, 0, &transaction));
        struct record event;
        for (size_t offset = 0; offset < commits->items[index].length;) {
            offset = next_event(&commits->items[index], offset, &event);
            lmdb_put(lmdb, transaction, event.bytes, event.length);
        }
        check(mdb_txn_commit(transaction));
        times[index] = nanoseconds() - started;
    }
}

void lmdb_commit(char **words)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/chain", words[0]);
    if (mkdir(path, 0700)) fail(path);
    struct lmdb lmdb = lmdb_open(words[0]), chain = lmdb_open(path);
    struct records events = read_records(words[1]), commits = read_records(words[2]);
    struct records sent = read_records(words[3]), signatures = read_records(words[4]);
    lmdb_fill(&lmdb, &events, 10000, 0);
    uint64_t *times = calloc(commits.count + 1, sizeof *times);
    if (!times) fail("memory");
    uint64_t started = nanoseconds();
    lmdb_commit_each(&lmdb, &commits, times);
    lmdb_fill(&chain, &sent, 1, 0);
    sign_all(&signatures);
    report_each(commits.count, nanoseconds() - started, times);
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

static void run(sqlite3 *database, const char *statement)
{
    if (sqlite3_exec(database, statement, NULL, NULL, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(database));
}

static void insert(sqlite3 *database, sqlite3_stmt *statement, uint64_t position,
                   const struct record *event)
{
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)position);
    sqlite3_bind_blob(statement, 2, event->bytes, (int)event->length, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(database));
    sqlite3_reset(statement);
}

struct sqlite {
    sqlite3 *database;
    sqlite3_stmt *statement;
    uint64_t next;
};

static struct sqlite sqlite_open(const char *folder, const char *name)
{
    char path[4096];
    struct sqlite sqlite = {0};
    snprintf(path, sizeof path, "%s/%s.sqlite", folder, name);
    if (sqlite3_open(path, &sqlite.database) != SQLITE_OK) fail(path);
    run(sqlite.database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                         "CREATE TABLE events (position INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    if (sqlite3_prepare_v2(sqlite.database, "INSERT INTO events VALUES (?, ?)", -1,
                           &sqlite.statement, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(sqlite.database));
    return sqlite;
}

static void sqlite_put(struct sqlite *sqlite, const struct record *event)
{
    insert(sqlite->database, sqlite->statement, sqlite->next++, event);
}

void sqlite_commit(char **words)
{
    struct sqlite sqlite = sqlite_open(words[0], "events");
    struct sqlite chain = sqlite_open(words[0], "chain");
    struct records events = read_records(words[1]), commits = read_records(words[2]);
    struct records sent = read_records(words[3]), signatures = read_records(words[4]);
    run(sqlite.database, "BEGIN");
    for (size_t index = 0; index < events.count; index++) sqlite_put(&sqlite, &events.items[index]);
    run(sqlite.database, "COMMIT");
    uint64_t started = nanoseconds();
    for (size_t index = 0; index < commits.count; index++) {
        struct record event;
        run(sqlite.database, "BEGIN IMMEDIATE");
        for (size_t offset = 0; offset < commits.items[index].length;) {
            offset = next_event(&commits.items[index], offset, &event);
            sqlite_put(&sqlite, &event);
        }
        run(sqlite.database, "COMMIT");
    }
    for (size_t index = 0; index < sent.count; index++) sqlite_put(&chain, &sent.items[index]);
    sign_all(&signatures);
    report(commits.count, nanoseconds() - started);
}
