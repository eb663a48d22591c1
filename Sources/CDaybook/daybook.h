/*
 * Daybook's wallet stores, for programs in C and in whatever calls C.
 *
 *     daybook *store = NULL;
 *     char *error = NULL, *answer = NULL;
 *     if (daybook_open("/home/me/store", "my-app", &store, &error) != DAYBOOK_DONE) {
 *         fprintf(stderr, "%s\n", error);
 *         daybook_free(error);
 *         return 1;
 *     }
 *     daybook_call(store, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"wallet.list\"}", &answer);
 *     puts(answer);
 *     daybook_free(answer);
 *     daybook_close(store);
 *
 * Texts are UTF-8 and end with NUL. Wrong arguments (NULL, a closed handle, text that is no UTF-8)
 * end in DAYBOOK_USAGE.
 *
 * Lifetime. The library copies the texts that it is given before a function returns. The texts that
 * it gives belong to the caller, who frees them with daybook_free, on any thread; only the text of
 * a callback belongs to the library, and is valid until the callback returns. A context belongs to
 * the caller, and is used until daybook_unsubscribe or daybook_close has returned. A store is valid
 * until daybook_close, a subscription until daybook_unsubscribe; each is never used for another
 * one.
 *
 * Threads. Every function may be called from every thread, also several at once on one store, and
 * from callbacks. A call waits on its own thread; calls on other threads go on meanwhile. Callbacks
 * come on a thread of the library, one per store, one at a time; docs/examples/watch.c hands them
 * to an event loop. The library's threads block all signals. After fork() the child must not use
 * the library before it calls exec.
 */
#ifndef DAYBOOK_H
#define DAYBOOK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open store. The pointer leads nowhere: only these functions understand it. */
typedef struct daybook daybook;

/* The results of functions: the exit statuses of the same commands of the program daybook. */
enum {
    DAYBOOK_DONE = 0,
    /* A business no: the request is refused, the prompt has changed. */
    DAYBOOK_REFUSED = 1,
    /* Wrong arguments, or a text that is no request. */
    DAYBOOK_USAGE = 2,
    /* The store is missing, damaged, too new or locked. */
    DAYBOOK_STORE = 3,
    /* The passphrase is wrong or missing, or the wallet is locked. */
    DAYBOOK_PASSPHRASE = 4,
    /* A node is unreachable or refuses. */
    DAYBOOK_NODE = 5
};

/* The library's version, such as "1.0.0"; not to be freed. */
const char *daybook_version(void);

/*
 * Makes a store in a folder that is missing or empty.
 *
 * On failure *error, unless error is NULL, is {"error":{"code":"...","message":"..."}}.
 */
int daybook_create(const char *home, char **error);

/*
 * Opens the store in a folder. front_end names the program in the log, in 1 to 128 bytes.
 *
 * Other processes may have the same store open, but a process opens it once (storeAlreadyOpen). On
 * failure *store is NULL, and *error, unless error is NULL, is as that of daybook_create.
 */
int daybook_open(const char *home, const char *front_end, daybook **store, char **error);

/*
 * Performs a request, a JSON-RPC 2.0 object of at most 1 MiB, and waits for the answer:
 *
 *     {"jsonrpc":"2.0","id":1,"method":"request.open","params":{"url":"dashwallet://..."}}
 *
 * Returns DAYBOOK_DONE if *response_json has a result, and the status of its error otherwise. There
 * is always an answer, also to wrong arguments, unless response_json is NULL or the request has no
 * id: then *response_json is NULL. The library wipes its own copies of passphrases and keys.
 */
int daybook_call(daybook *store, const char *request_json, char **response_json);

/* Is given each change as {"subscription":1,"position":42,"changes":[{"what":"request",...}]}. */
typedef void (*daybook_callback)(void *context, const char *change_json);

/* Where a subscription begins: with what comes next. */
#define DAYBOOK_NOW INT64_MIN

/*
 * Calls back for each change of the store after the event at a position: -1 is before the first
 * event, and DAYBOOK_NOW after the last one. Changes by other processes are among them. None is
 * lost; a slow callback is given several changes as one.
 *
 * If the log can't be read any more, a last callback has
 * {"subscription":1,"error":{"code":"...","message":"..."}}. On failure daybook_last_error has the
 * reason, such as unknownPosition for a position that the log does not have yet.
 */
int daybook_subscribe(
    daybook *store, int64_t after, daybook_callback callback, void *context,
    uint64_t *subscription);

/*
 * Ends a subscription. When this returns, its callback is not running and never runs again; only
 * if this is called in a callback, callbacks that run already may still return later.
 */
int daybook_unsubscribe(daybook *store, uint64_t subscription);

/*
 * Ends all subscriptions, waits for calls and callbacks in progress, and closes the store.
 *
 * Called in a callback it does not wait; the store is closed when these calls have returned. The
 * handle is invalid from then on, and never becomes valid again.
 */
int daybook_close(daybook *store);

/*
 * The reason why the last daybook_subscribe, daybook_unsubscribe or daybook_close of this thread
 * failed, as {"error":{"code":"...","message":"..."}}; NULL if it did not. To be freed.
 */
char *daybook_last_error(void);

/* Wipes and frees a text of the library. NULL and texts that are already free are ignored. */
void daybook_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
