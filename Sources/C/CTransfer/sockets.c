#include "sockets.h"

#include <netinet/in.h>
#include <stdlib.h>

// Without memory a socket is not known, and what waits on it is found later.
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

static int port_of(int handle) {
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getsockname(handle, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return 0;
}

int calotype_client_socket(calotype_transfer_client *client, int port) {
    if (port <= 0) return -1;
    for (size_t index = 0; index < client->socket_count; index++) {
        calotype_open_socket *socket = &client->sockets[index];
        // Before it is connected it has none.
        if (socket->port == 0) socket->port = port_of(socket->handle);
        if (socket->port == port) return socket->handle;
    }
    return -1;
}

void calotype_transfer_client_clear(calotype_transfer_client *client) {
    free(client->sockets);
    client->sockets = NULL;
    client->socket_count = client->socket_capacity = 0;
}
