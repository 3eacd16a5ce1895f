#include "sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

// For lack of memory a socket is not registered, and excess bytes on it are found later.
void calotype_client_add_socket(calotype_transfer_client *client, int handle) {
    if (client->socket_count == client->socket_capacity) {
        size_t capacity = client->socket_capacity ? client->socket_capacity * 2 : 16;
        calotype_open_socket *grown = realloc(client->sockets, capacity * sizeof *grown);
        if (!grown) return;
        client->sockets = grown;
        client->socket_capacity = capacity;
    }
    client->sockets[client->socket_count++] = (calotype_open_socket){.handle = handle};
}

void calotype_client_remove_socket(calotype_transfer_client *client, int handle) {
    for (size_t index = 0; index < client->socket_count; index++) {
        if (client->sockets[index].handle != handle) continue;
        client->sockets[index] = client->sockets[--client->socket_count];
        return;
    }
}

// Returns the port of an address, and writes its text; 0 if it has none.
static int read_address(const struct sockaddr_storage *address, char text[CALOTYPE_ADDRESS_LENGTH]) {
    const void *bytes = NULL;
    int port = 0;
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        bytes = &v4->sin_addr;
        port = ntohs(v4->sin_port);
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        bytes = &v6->sin6_addr;
        port = ntohs(v6->sin6_port);
    }
    bool is_text = bytes && inet_ntop(address->ss_family, bytes, text, CALOTYPE_ADDRESS_LENGTH);
    return is_text ? port : 0;
}

// A socket has no ends before it is connected.
static void read_ends(calotype_open_socket *socket) {
    struct sockaddr_storage own = {0}, other = {0};
    socklen_t own_size = sizeof own, other_size = sizeof other;
    if (getsockname(socket->handle, (struct sockaddr *)&own, &own_size) != 0) return;
    if (getpeername(socket->handle, (struct sockaddr *)&other, &other_size) != 0) return;
    if (read_address(&other, socket->address) == 0) return;
    socket->port = read_address(&own, socket->own_address);
}

int calotype_client_socket(calotype_transfer_client *client, const calotype_transfer *transfer) {
    if (transfer->own_port <= 0) return -1;
    int found = -1;
    for (size_t index = 0; index < client->socket_count; index++) {
        calotype_open_socket *socket = &client->sockets[index];
        if (socket->port == 0) read_ends(socket);
        if (socket->port != transfer->own_port || strcmp(socket->own_address, transfer->own_address) != 0
            || strcmp(socket->address, transfer->address) != 0) {
            continue;
        }
        if (found >= 0) return -1;
        found = socket->handle;
    }
    return found;
}

void calotype_transfer_client_clear(calotype_transfer_client *client) {
    free(client->sockets);
    client->sockets = NULL;
    client->socket_count = client->socket_capacity = 0;
}
