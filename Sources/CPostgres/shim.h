#ifndef DAYBOOK_CPOSTGRES_SHIM_H
#define DAYBOOK_CPOSTGRES_SHIM_H

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>

// Waits until the server has sent something, or can be sent more; 0 if the connection is of no use.
static inline int daybook_pq_wait(PGconn *connection, int writes, int milliseconds) {
    struct pollfd entry = {
        .fd = PQsocket(connection), .events = POLLIN | (writes ? POLLOUT : 0)};
    int ready = poll(&entry, 1, milliseconds);
    if (ready < 0) return errno == EINTR;
    return ready == 0 || PQconsumeInput(connection);
}

#endif
