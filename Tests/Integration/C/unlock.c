/*
 * Unlocks a wallet eighty times and keeps the store open: what is left in memory is the library's.
 *
 * usage: unlock STORE WALLET      standard input: the passphrase, on a line; then anything ends it
 */
#define _DEFAULT_SOURCE
#include "daybook.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    daybook *store = NULL;
    char passphrase[256], request[1024], *answer = NULL;
    /* read, not fgets: stdio would keep the passphrase in a buffer of its own. */
    ssize_t length = read(STDIN_FILENO, passphrase, sizeof passphrase - 1);
    if (count != 3 || length < 2 || daybook_open(words[1], "unlock", &store, NULL)) return 1;
    passphrase[length - 1] = 0;
    for (int id = 0; id < 80; id++) {
        snprintf(request, sizeof request,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"unlock\",\"params\":{\"wallet\":"
                 "\"%s\",\"passphrase\":\"%s%s\",\"seconds\":60,\"limit\":\"1\"}}",
                 id, words[2], passphrase, id < 78 ? "" : "?");
        int status = daybook_call(store, request, &answer);
        explicit_bzero(request, sizeof request);
        if (status != (id < 78 ? DAYBOOK_DONE : DAYBOOK_PASSPHRASE)) puts(answer);
        daybook_free(answer);
    }
    explicit_bzero(passphrase, sizeof passphrase);
    if (daybook_call(store,
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"lock\","
                     "\"params\":{\"wallet\":\"my\"}}", &answer))
        puts(answer);
    daybook_free(answer);
    puts("unlocked and locked");
    fflush(stdout);
    if (read(STDIN_FILENO, passphrase, 1) < 0) return 1;
    return daybook_close(store);
}
