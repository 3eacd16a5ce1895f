#ifndef CALOTYPE_SOCKETS_H
#define CALOTYPE_SOCKETS_H

#include "ctransfer.h"

// The sockets that a client has open, found by the one thing that libcurl tells of a connection in use: this
// side's port.

void calotype_client_add_socket(calotype_transfer_client *client, int handle);
void calotype_client_remove_socket(calotype_transfer_client *client, int handle);

// The socket with a port of this side's; -1 where there is none.
int calotype_client_socket(calotype_transfer_client *client, int port);

#endif
