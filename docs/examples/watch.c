/* Prints what happens to requests from an event loop, until the input ends.
 *
 *     cc watch.c $(pkg-config --cflags --libs daybook) -lpthread -o watch
 *     ./watch STORE
 *
 * The library calls back on a thread of its own. The callback only puts the change into a queue and
 * wakes the loop, which takes it out on the program's thread: by poll here, as by a source of GLib
 * or a uv_async_t of libuv. So the program's own data need no lock.
 */
#include <daybook.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct change {
    struct change *next;
    char json[];
};

/* Changes that the loop has not taken out yet. */
struct queue {
    pthread_mutex_t lock;
    struct change *first, **end;
    int wake;
};

/* Comes on the library's thread, where it must not block: the text is copied, not used. */
static void on_change(void *context, const char *change_json) {
    struct queue *queue = context;
    size_t size = strlen(change_json) + 1;
    struct change *change = malloc(sizeof *change + size);
    if (!change) return;
    change->next = NULL;
    memcpy(change->json, change_json, size);
    pthread_mutex_lock(&queue->lock);
    *queue->end = change;
    queue->end = &change->next;
    pthread_mutex_unlock(&queue->lock);
    eventfd_write(queue->wake, 1);
}

/* Takes all changes out, on the loop's thread. */
static struct change *take(struct queue *queue) {
    eventfd_t count;
    eventfd_read(queue->wake, &count);
    pthread_mutex_lock(&queue->lock);
    struct change *first = queue->first;
    queue->first = NULL;
    queue->end = &queue->first;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

/* Prints the requests that are pending now: a change says what to read again, never the values. */
static void show(daybook *store, const char *change_json) {
    char *answer = NULL;
    if (!strstr(change_json, "\"what\":\"request\"")) return;
    daybook_call(store,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"request.list\","
                 "\"params\":{\"status\":[\"pending\"]}}",
                 &answer);
    printf("pending: %s\n", answer);
    fflush(stdout);
    daybook_free(answer);
}

static int fail(char *error) {
    fprintf(stderr, "%s\n", error ? error : "no memory");
    daybook_free(error);
    return 1;
}

int main(int count, char **arguments) {
    struct queue queue = {PTHREAD_MUTEX_INITIALIZER, NULL, &queue.first, eventfd(0, EFD_NONBLOCK)};
    daybook *store;
    char *error, input[256];
    uint64_t subscription;
    if (count != 2) return fprintf(stderr, "usage: watch STORE\n"), 2;
    if (daybook_open(arguments[1], "watch.c", &store, &error) != DAYBOOK_DONE) return fail(error);
    if (daybook_subscribe(store, DAYBOOK_NOW, on_change, &queue, &subscription) != DAYBOOK_DONE)
        return fail(daybook_last_error());
    printf("watching\n");
    fflush(stdout);
    struct pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {queue.wake, POLLIN, 0}};
    while (poll(sources, 2, -1) >= 0) {
        if (sources[0].revents && read(STDIN_FILENO, input, sizeof input) <= 0) break;
        if (!sources[1].revents) continue;
        for (struct change *change = take(&queue), *next; change; change = next) {
            next = change->next;
            show(store, change->json);
            free(change);
        }
    }
    /* From here on no callback runs, and nobody else uses the queue. */
    daybook_close(store);
    for (struct change *change = take(&queue), *next; change; change = next) {
        next = change->next;
        free(change);
    }
    return close(queue.wake) ? 1 : 0;
}
