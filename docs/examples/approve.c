/* Opens a payment link, shows what it asks for, and approves it if the answer is y.
 *
 *     cc approve.c $(pkg-config --cflags --libs daybook) -o approve
 *     ./approve STORE WALLET-PASSPHRASE 'dashwallet://pay=...&amount=1.5&sender=shop'
 *
 * A real program reads the passphrase from a terminal, and reads JSON with a library.
 */
#include <daybook.h>
#include <stdio.h>
#include <string.h>

/* Comes on a thread of the library. */
static void on_change(void *context, const char *change_json) {
    fprintf(context, "changed: %s\n", change_json);
}

/* Copies a text or number of an answer; enough for ids, digests and URLs. */
static int get(const char *json, const char *name, char *value, size_t size) {
    const char *found = json ? strstr(json, name) : NULL;
    if (!found) return 0;
    found += strlen(name);
    found += *found == '"';
    return snprintf(value, size, "%.*s", (int)strcspn(found, "\",}"), found) < (int)size;
}

/* Calls a method; prints its answer, which belongs to the caller. */
static char *call(daybook *store, const char *method, const char *params) {
    char request[4096], *answer = NULL;
    snprintf(request, sizeof request,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}", method, params);
    daybook_call(store, request, &answer);
    printf("%s: %s\n", method, answer);
    return answer;
}

/* Returns 1 if the link was understood; what followed is printed. */
static int approve(daybook *store, const char *passphrase, const char *link) {
    char params[2048], id[32], digest[80], wish = 'n';
    snprintf(params, sizeof params, "\"url\":\"%s\"", link);
    char *opened = call(store, "request.open", params);
    int ok = get(opened, "\"request\":", id, sizeof id) && strstr(opened, "\"pending\"");
    daybook_free(opened);
    if (!ok) return 0;
    snprintf(params, sizeof params, "\"request\":%s", id);
    char *prompt = call(store, "request.prompt", params);
    printf("approve? [y/N]\n");
    if (get(prompt, "\"digest\":", digest, sizeof digest) && scanf(" %c", &wish) == 1 &&
        wish == 'y')
        snprintf(params, sizeof params, "\"request\":%s,\"shown\":\"%s\",\"passphrase\":\"%s\"", id,
                 digest, passphrase);
    daybook_free(prompt);
    daybook_free(call(store, wish == 'y' ? "request.approve" : "request.reject", params));
    memset(params, 0, sizeof params);
    return 1;
}

int main(int count, char **arguments) {
    daybook *store;
    char *error;
    uint64_t subscription;
    if (count != 4) return fprintf(stderr, "usage: approve STORE PASSPHRASE LINK\n"), 2;
    if (daybook_open(arguments[1], "approve.c", &store, &error) != DAYBOOK_DONE)
        return fprintf(stderr, "%s\n", error), daybook_free(error), 1;
    if (daybook_subscribe(store, DAYBOOK_NOW, on_change, stderr, &subscription) != DAYBOOK_DONE)
        return fprintf(stderr, "%s\n", error = daybook_last_error()), daybook_free(error), 1;
    int ok = approve(store, arguments[2], arguments[3]);
    return daybook_close(store) == DAYBOOK_DONE && ok ? 0 : 1;
}
