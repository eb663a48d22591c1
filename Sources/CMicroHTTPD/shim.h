#ifndef DAYBOOK_CMICROHTTPD_SHIM_H
#define DAYBOOK_CMICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../CLinux/wipe.h"

// The functions that a daemon calls, with the same closure each.
struct daybook_mhd_calls {
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connected;
    void *closure;
};

// The address of a host that is written in numbers, and a port; its family is 0 if it is none.
static inline struct sockaddr_storage daybook_mhd_address(const char *host, uint16_t port) {
    struct sockaddr_storage storage;
    memset(&storage, 0, sizeof storage);
    struct sockaddr_in *four = (struct sockaddr_in *)&storage;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&storage;
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
    } else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
    }
    return storage;
}

// The reach of a host that is written in numbers: 0 no such host, 1 loopback, 2 one address, 3 all
// addresses of a machine. IPv4 in IPv6 has two spellings for one address, and counts as none.
static inline int daybook_mhd_host(const char *host) {
    struct sockaddr_storage storage = daybook_mhd_address(host, 0);
    if (storage.ss_family == AF_INET) {
        uint32_t number = ntohl(((struct sockaddr_in *)&storage)->sin_addr.s_addr);
        return number >> 24 == 127 ? 1 : number == INADDR_ANY ? 3 : 2;
    }
    const struct in6_addr *six = &((struct sockaddr_in6 *)&storage)->sin6_addr;
    if (storage.ss_family != AF_INET6 || IN6_IS_ADDR_V4MAPPED(six)) return 0;
    return IN6_IS_ADDR_LOOPBACK(six) ? 1 : IN6_IS_ADDR_UNSPECIFIED(six) ? 3 : 2;
}

// MHD_start_daemon takes its options as variable arguments, which Swift can't pass. The daemon's
// thread gets no signals: they belong to the program.
static inline struct MHD_Daemon *daybook_mhd_start(
    const char *host, uint16_t port, unsigned int connections, unsigned int timeout_seconds,
    size_t memory, struct daybook_mhd_calls calls) {
    struct sockaddr_storage address = daybook_mhd_address(host, port);
    unsigned int family = address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | family, port, NULL, NULL,
        calls.handle, calls.closure, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, calls.completed, calls.closure,
        MHD_OPTION_NOTIFY_CONNECTION, calls.connected, calls.closure, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

// The port that a daemon is bound to; 0 if it can't be told.
static inline uint16_t daybook_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

// Takes no more connections; those that are open go on.
static inline void daybook_mhd_quiesce(struct MHD_Daemon *daemon) {
    MHD_socket listening = MHD_quiesce_daemon(daemon);
    if (listening != MHD_INVALID_SOCKET) close(listening);
}

// Shuts a connection's socket down, which the daemon's thread then notices and closes.
static inline void daybook_mhd_shut(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info) shutdown(info->connect_fd, SHUT_RDWR);
}

// Overwrites what was uploaded in the connection's own buffer, which is writable memory.
static inline void daybook_mhd_wipe(const char *bytes, size_t count) {
    daybook_wipe((void *)bytes, count);
}

#endif
