/* A wallet's back end as an application on SQLite: tables for requests, outputs and balances beside
 * its events, which it encodes as CBOR. One connection for each payer; writers of one process take
 * turns by a lock, which costs less than SQLite's own waiting. */
#include "baselines.h"

#include <cbor.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_COINS = 8, SCRIPT = 25 };

static const char SCHEMA[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE events (position INTEGER PRIMARY KEY, request INTEGER NOT NULL,"
    " revision INTEGER NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL,"
    " UNIQUE (request, revision));"
    "CREATE TABLE requests (id INTEGER PRIMARY KEY, revision INTEGER NOT NULL,"
    " status TEXT NOT NULL, payee BLOB NOT NULL, amount INTEGER NOT NULL, link TEXT NOT NULL,"
    " prompt BLOB NOT NULL, txid BLOB);"
    "CREATE TABLE outputs (txid BLOB NOT NULL, number INTEGER NOT NULL, wallet INTEGER NOT NULL,"
    " amount INTEGER NOT NULL, spender INTEGER, PRIMARY KEY (txid, number)) WITHOUT ROWID;"
    "CREATE INDEX coins ON outputs (wallet, amount DESC) WHERE spender IS NULL;"
    "CREATE TABLE balances (wallet INTEGER PRIMARY KEY, amount INTEGER NOT NULL);";

enum statement {
    BEGIN, COMMIT, ADD_EVENT, ADD_REQUEST, GET_REQUEST, SIGN_REQUEST, MOVE_REQUEST, GET_COINS,
    SPEND_OUTPUT, ADD_OUTPUT, GET_BALANCE, CHANGE_BALANCE, ADD_BALANCE, STATEMENTS
};

static const char *const TEXTS[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ADD_EVENT] = "INSERT INTO events (request, revision, type, bytes) VALUES (?, ?, ?, ?)",
    [ADD_REQUEST] = "INSERT INTO requests (revision, status, payee, amount, link, prompt)"
                    " VALUES (2, 'pending', ?, ?, ?, ?)",
    [GET_REQUEST] = "SELECT revision, status, payee, amount, prompt FROM requests WHERE id = ?",
    [SIGN_REQUEST] = "UPDATE requests SET revision = ?, status = 'signed', txid = ?"
                     " WHERE id = ? AND revision = ?",
    [MOVE_REQUEST] = "UPDATE requests SET revision = ?, status = ? WHERE id = ? AND revision = ?",
    [GET_COINS] = "SELECT txid, number, amount FROM outputs"
                  " WHERE wallet = ? AND spender IS NULL ORDER BY amount DESC",
    [SPEND_OUTPUT] = "UPDATE outputs SET spender = ?"
                     " WHERE txid = ? AND number = ? AND spender IS NULL",
    [ADD_OUTPUT] = "INSERT INTO outputs (txid, number, wallet, amount) VALUES (?, ?, ?, ?)",
    [GET_BALANCE] = "SELECT amount FROM balances WHERE wallet = ?",
    [CHANGE_BALANCE] = "UPDATE balances SET amount = amount + ?1"
                       " WHERE wallet = ?2 AND amount + ?1 >= 0",
    [ADD_BALANCE] = "INSERT INTO balances VALUES (?, ?)",
};

struct application {
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENTS];
    pthread_mutex_t *writing;
    int64_t wallet;
    struct signer signer;
    uint8_t script[SCRIPT];
};

struct coin {
    uint8_t txid[32];
    int64_t number, amount;
};

/* A payment under way, with what its transaction consists of. */
struct payment {
    int64_t request, revision, amount, change;
    uint8_t script[SCRIPT], prompt[32];
    struct coin coins[MAXIMUM_COINS];
    uint8_t digests[MAXIMUM_COINS][32], signatures[MAXIMUM_COINS][64];
    size_t count;
    uint8_t txid[32];
};

struct buffer {
    uint8_t bytes[4096];
    size_t length;
};

/* ---- Statements */

static void require(struct application *application, int met)
{
    if (!met) fail(sqlite3_errmsg(application->database));
}

/* Binds values to a statement: `i` a number, `t` a text, `b` bytes and their length. */
static sqlite3_stmt *bind(struct application *application, enum statement which,
                          const char *kinds, ...)
{
    sqlite3_stmt *statement = application->statements[which];
    va_list values;
    va_start(values, kinds);
    for (int index = 1; *kinds; index++, kinds++) {
        if (*kinds == 'i') {
            sqlite3_bind_int64(statement, index, va_arg(values, int64_t));
        } else if (*kinds == 't') {
            sqlite3_bind_text(statement, index, va_arg(values, char *), -1, SQLITE_TRANSIENT);
        } else {
            const void *bytes = va_arg(values, void *);
            size_t length = va_arg(values, size_t);
            sqlite3_bind_blob(statement, index, bytes, (int)length, SQLITE_TRANSIENT);
        }
    }
    va_end(values);
    return statement;
}

static void run(struct application *application, sqlite3_stmt *statement)
{
    require(application, sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
}

/* Runs a statement that must change one row: no other writer came first. */
static void run_once(struct application *application, sqlite3_stmt *statement)
{
    run(application, statement);
    if (sqlite3_changes(application->database) != 1) fail("another writer came first");
}

static void begin(struct application *application)
{
    pthread_mutex_lock(application->writing);
    run(application, bind(application, BEGIN, ""));
}

static void commit(struct application *application)
{
    run(application, bind(application, COMMIT, ""));
    pthread_mutex_unlock(application->writing);
}

/* ---- Events */

static void add_bytes(struct buffer *buffer, const void *bytes, size_t length)
{
    if (buffer->length + length > sizeof buffer->bytes) fail("an event is too large");
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

static void encode_text(struct buffer *buffer, const char *text)
{
    buffer->length += cbor_encode_string_start(strlen(text), buffer->bytes + buffer->length,
                                               sizeof buffer->bytes - buffer->length);
    add_bytes(buffer, text, strlen(text));
}

/* Appends an event: fields by name, `i` a number, `t` a text, `b` bytes and their length. */
static void append(struct application *application, int64_t request, int64_t revision,
                   const char *type, const char *kinds, ...)
{
    struct buffer event = {.length = 0};
    event.length = cbor_encode_map_start(strlen(kinds), event.bytes, sizeof event.bytes);
    va_list values;
    va_start(values, kinds);
    for (; *kinds; kinds++) {
        encode_text(&event, va_arg(values, char *));
        uint8_t *end = event.bytes + event.length;
        size_t room = sizeof event.bytes - event.length;
        if (*kinds == 'i') {
            event.length += cbor_encode_uint((uint64_t)va_arg(values, int64_t), end, room);
        } else if (*kinds == 't') {
            encode_text(&event, va_arg(values, char *));
        } else {
            const void *bytes = va_arg(values, void *);
            size_t length = va_arg(values, size_t);
            event.length += cbor_encode_bytestring_start(length, end, room);
            add_bytes(&event, bytes, length);
        }
    }
    va_end(values);
    run(application, bind(application, ADD_EVENT, "iitb", request, revision, type, event.bytes,
                          event.length));
}

/* ---- Links and transactions */

static void double_sha256(const void *bytes, size_t length, uint8_t hash[32])
{
    SHA256(bytes, length, hash);
    SHA256(hash, 32, hash);
}

/* The script that pays to a hash of a public key. */
static void script_of(const uint8_t hash[20], uint8_t script[SCRIPT])
{
    memcpy(script, "\x76\xa9\x14", 3);
    memcpy(script + 3, hash, 20);
    memcpy(script + 23, "\x88\xac", 2);
}

static void decode_address(const char *text, size_t length, uint8_t script[SCRIPT])
{
    static const char digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    uint8_t bytes[25] = {0}, hash[32];
    for (size_t index = 0; index < length; index++) {
        const char *digit = strchr(digits, text[index]);
        if (!digit) fail("an address has another character");
        unsigned carry = (unsigned)(digit - digits);
        for (int place = 24; place >= 0; place--) {
            carry += 58u * bytes[place];
            bytes[place] = (uint8_t)carry;
            carry >>= 8;
        }
        if (carry) fail("an address is too long");
    }
    double_sha256(bytes, 21, hash);
    if (memcmp(hash, bytes + 21, 4) != 0) fail("an address has a wrong checksum");
    script_of(bytes + 1, script);
}

/* Returns the value of a field of a link, and its length. */
static const char *field(const char *link, const char *name, size_t *length)
{
    const char *found = strstr(link, name);
    if (!found) fail("a link lacks a field");
    found += strlen(name);
    *length = strcspn(found, "&");
    return found;
}

/* Reads an amount in coins, without floating point. */
static int64_t decode_amount(const char *text, size_t length)
{
    int64_t amount = 0;
    int places = -1;
    for (size_t index = 0; index < length; index++) {
        if (text[index] == '.' && places < 0) {
            places = 0;
            continue;
        }
        if (text[index] < '0' || text[index] > '9' || places == 8) fail("a link has no amount");
        amount = amount * 10 + text[index] - '0';
        places += places >= 0;
    }
    for (places = places < 0 ? 0 : places; places < 8; places++) amount *= 10;
    return amount;
}

/* Writes a number, its lowest byte first. */
static void add_number(struct buffer *buffer, uint64_t number, size_t width)
{
    for (size_t index = 0; index < width; index++)
        add_bytes(buffer, &(uint8_t){(uint8_t)(number >> (8 * index))}, 1);
}

static void add_script(struct buffer *buffer, const uint8_t *script, size_t length)
{
    add_number(buffer, length, 1);
    add_bytes(buffer, script, length);
}

/* Serializes a transaction; `input` is that whose digest is wanted, or -1 for all signatures. */
static struct buffer serialize(const struct application *application,
                               const struct payment *payment, int input)
{
    struct buffer bytes = {.length = 0};
    add_number(&bytes, 1, 4);
    add_number(&bytes, payment->count, 1);
    for (size_t index = 0; index < payment->count; index++) {
        add_bytes(&bytes, payment->coins[index].txid, 32);
        add_number(&bytes, (uint64_t)payment->coins[index].number, 4);
        if (input < 0) {
            add_number(&bytes, 1 + 64 + 1 + 33, 1);
            add_script(&bytes, payment->signatures[index], 64);
            add_script(&bytes, application->signer.public_key, 33);
        } else {
            add_script(&bytes, application->script, (size_t)input == index ? SCRIPT : 0);
        }
        add_number(&bytes, UINT32_MAX, 4);
    }
    add_number(&bytes, 2, 1);
    add_number(&bytes, (uint64_t)payment->amount, 8);
    add_script(&bytes, payment->script, SCRIPT);
    add_number(&bytes, (uint64_t)payment->change, 8);
    add_script(&bytes, application->script, SCRIPT);
    add_number(&bytes, 0, 4);
    if (input >= 0) add_number(&bytes, 1, 4);
    return bytes;
}

/* ---- A payment's steps */

/* Records a link and the request that it is; the prompt's digest is what is shown. */
static struct payment receive(struct application *application, const char *link)
{
    struct payment payment = {.revision = 2};
    size_t address_length, amount_length, sender_length;
    const char *address = field(link, "pay=", &address_length);
    const char *amount = field(link, "amount=", &amount_length);
    const char *sender = field(link, "sender=", &sender_length);
    decode_address(address, address_length, payment.script);
    payment.amount = decode_amount(amount, amount_length);
    char shown[512];
    int length = snprintf(shown, sizeof shown, "pay %lld to %.*s for %.*s",
                          (long long)payment.amount, (int)address_length, address,
                          (int)sender_length, sender);
    SHA256((const uint8_t *)shown, (size_t)length, payment.prompt);

    begin(application);
    run(application, bind(application, ADD_REQUEST, "bitb", payment.script, (size_t)SCRIPT,
                          payment.amount, link, payment.prompt, (size_t)32));
    payment.request = sqlite3_last_insert_rowid(application->database);
    append(application, payment.request, 1, "request.received", "t", "text", link);
    append(application, payment.request, 2, "request.accepted", "bib", "script", payment.script,
           (size_t)SCRIPT, "amount", payment.amount, "prompt", payment.prompt, (size_t)32);
    commit(application);
    return payment;
}

/* Reads a request, which must wait for a decision on what was shown. */
static void read_request(struct application *application, struct payment *payment)
{
    sqlite3_stmt *row = bind(application, GET_REQUEST, "i", payment->request);
    require(application, sqlite3_step(row) == SQLITE_ROW);
    payment->revision = sqlite3_column_int64(row, 0);
    if (strcmp((const char *)sqlite3_column_text(row, 1), "pending") != 0) fail("it is decided");
    memcpy(payment->script, sqlite3_column_blob(row, 2), SCRIPT);
    payment->amount = sqlite3_column_int64(row, 3);
    if (memcmp(sqlite3_column_blob(row, 4), payment->prompt, 32) != 0) fail("another prompt");
    sqlite3_reset(row);
}

/* Selects the largest coins of the wallet that pay the amount and the fee. */
static void select_coins(struct application *application, struct payment *payment)
{
    const int64_t needed = payment->amount + 1000;
    sqlite3_stmt *row = bind(application, GET_BALANCE, "i", application->wallet);
    require(application, sqlite3_step(row) == SQLITE_ROW);
    if (sqlite3_column_int64(row, 0) < needed) fail("the balance is too small");
    sqlite3_reset(row);
    row = bind(application, GET_COINS, "i", application->wallet);
    int64_t sum = 0;
    for (payment->count = 0; sum < needed; payment->count++) {
        if (payment->count == MAXIMUM_COINS) fail("the coins are too small");
        require(application, sqlite3_step(row) == SQLITE_ROW);
        struct coin *coin = &payment->coins[payment->count];
        memcpy(coin->txid, sqlite3_column_blob(row, 0), 32);
        coin->number = sqlite3_column_int64(row, 1);
        sum += coin->amount = sqlite3_column_int64(row, 2);
    }
    sqlite3_reset(row);
    payment->change = sum - needed;
}

/* Signs every input, with the key check and the first verification. */
static struct buffer sign_inputs(struct application *application, struct payment *payment)
{
    for (size_t index = 0; index < payment->count; index++) {
        struct buffer bytes = serialize(application, payment, (int)index);
        double_sha256(bytes.bytes, bytes.length, payment->digests[index]);
        sign_digest(&application->signer, payment->digests[index], payment->signatures[index]);
        verify_signature(&application->signer, payment->digests[index],
                         payment->signatures[index]);
    }
    struct buffer bytes = serialize(application, payment, -1);
    double_sha256(bytes.bytes, bytes.length, payment->txid);
    return bytes;
}

/* Records a decision with the transaction and its signatures, which are verified again. */
static void approve(struct application *application, struct payment *payment)
{
    read_request(application, payment);
    select_coins(application, payment);
    struct buffer unsigned_bytes = serialize(application, payment, 0);
    struct buffer bytes = sign_inputs(application, payment);

    const int64_t request = payment->request, revision = payment->revision;
    int64_t spent = 0;
    begin(application);
    run_once(application, bind(application, SIGN_REQUEST, "ibii", revision + 4, payment->txid,
                               (size_t)32, request, revision));
    for (size_t index = 0; index < payment->count; index++) {
        const struct coin *coin = &payment->coins[index];
        verify_signature(&application->signer, payment->digests[index],
                         payment->signatures[index]);
        run_once(application, bind(application, SPEND_OUTPUT, "ibi", request, coin->txid,
                                   (size_t)32, coin->number));
        spent += coin->amount;
    }
    run_once(application, bind(application, CHANGE_BALANCE, "ii", -spent, application->wallet));
    append(application, request, revision + 1, "decision.made", "tbi", "answer", "approve",
           "prompt", payment->prompt, (size_t)32, "wallet", application->wallet);
    append(application, request, revision + 2, "transaction.prepared", "bb", "bytes",
           unsigned_bytes.bytes, unsigned_bytes.length, "digests", payment->digests,
           payment->count * 32);
    append(application, request, revision + 3, "signature.made", "bb", "signatures",
           payment->signatures, payment->count * 64, "key", application->signer.public_key,
           (size_t)33);
    append(application, request, revision + 4, "transaction.signed", "bb", "bytes", bytes.bytes,
           bytes.length, "txid", payment->txid, (size_t)32);
    commit(application);
    payment->revision += 4;
}

/* Moves a request on, if it still has the revision that was read. */
static void move(struct application *application, struct payment *payment, int64_t events,
                 const char *status)
{
    run_once(application, bind(application, MOVE_REQUEST, "itii", payment->revision + events,
                               status, payment->request, payment->revision));
    payment->revision += events;
}

/* Records the node's answer, what it says of the wallet, and the callback. */
static void settle(struct application *application, struct payment *payment)
{
    const int64_t request = payment->request, revision = payment->revision;
    char txid[65], callback[256];
    for (int index = 0; index < 32; index++)
        snprintf(txid + 2 * index, 3, "%02x", payment->txid[31 - index]);
    snprintf(callback, sizeof callback, "caller://callback=payack&txid=%s", txid);
    begin(application);
    move(application, payment, 5, "sent");
    run(application, bind(application, ADD_OUTPUT, "biii", payment->txid, (size_t)32, (int64_t)1,
                          application->wallet, payment->change));
    run_once(application, bind(application, CHANGE_BALANCE, "ii", payment->change,
                               application->wallet));
    append(application, request, revision + 1, "broadcast.answered", "t", "answer", "accepted");
    append(application, request, revision + 2, "transaction.sent", "b", "txid", payment->txid,
           (size_t)32);
    append(application, request, revision + 3, "callback.emitted", "t", "url", callback);
    append(application, request, revision + 4, "chain.observed", "bii", "txid", payment->txid,
           (size_t)32, "output", (int64_t)1, "amount", payment->change);
    append(application, request, revision + 5, "transaction.locked", "b", "txid", payment->txid,
           (size_t)32);
    commit(application);
}

static void deliver(struct application *application, struct payment *payment)
{
    begin(application);
    move(application, payment, 1, "completed");
    append(application, payment->request, payment->revision, "callback.delivered", "");
    commit(application);
}

/* ---- Payers */

static void connect_to(struct application *application, const char *path)
{
    require(application, sqlite3_open(path, &application->database) == SQLITE_OK);
    require(application, sqlite3_exec(application->database, "PRAGMA synchronous = FULL", NULL,
                                      NULL, NULL) == SQLITE_OK);
}

/* Prepares the statements and gives the wallet its first coin. */
static void open_wallet(struct application *application)
{
    const int64_t amount = 100000000000;
    uint8_t hash[32];
    for (int index = 0; index < STATEMENTS; index++)
        require(application, sqlite3_prepare_v3(application->database, TEXTS[index], -1,
                                                SQLITE_PREPARE_PERSISTENT,
                                                &application->statements[index], NULL)
                                 == SQLITE_OK);
    application->signer = new_signer((uint8_t)application->wallet);
    SHA256(application->signer.public_key, 33, hash);
    script_of(hash, application->script);
    begin(application);
    run(application, bind(application, ADD_OUTPUT, "biii", hash, sizeof hash, (int64_t)0,
                          application->wallet, amount));
    run(application, bind(application, ADD_BALANCE, "ii", application->wallet, amount));
    commit(application);
}

struct payer {
    struct application application;
    long payments;
};

static void *pay(void *argument)
{
    struct payer *payer = argument;
    for (long number = 0; number < payer->payments; number++) {
        char link[256];
        snprintf(link, sizeof link,
                 "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=0.0%ld%lld"
                 "&sender=shop",
                 1000 + number, (long long)(10 + payer->application.wallet));
        struct payment payment = receive(&payer->application, link);
        approve(&payer->application, &payment);
        settle(&payer->application, &payment);
        deliver(&payer->application, &payment);
    }
    return NULL;
}

void sqlite_application(char **words)
{
    const long count = atol(words[1]), payments = atol(words[2]);
    struct payer *payers = calloc((size_t)count, sizeof *payers);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
    char path[4096];
    if (!payers || !threads) fail("memory");
    snprintf(path, sizeof path, "%s/application.sqlite", words[0]);
    for (long index = 0; index < count; index++) {
        struct application *application = &payers[index].application;
        application->writing = &writing;
        application->wallet = index + 1;
        payers[index].payments = payments;
        connect_to(application, path);
        if (index == 0)
            require(application, sqlite3_exec(application->database, SCHEMA, NULL, NULL, NULL)
                                     == SQLITE_OK);
        open_wallet(application);
    }
    uint64_t started = nanoseconds();
    for (long index = 0; index < count; index++)
        if (pthread_create(&threads[index], NULL, pay, &payers[index])) fail("a thread");
    for (long index = 0; index < count; index++) pthread_join(threads[index], NULL);
    report((size_t)(count * payments), nanoseconds() - started);
}
