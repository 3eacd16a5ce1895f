#ifndef CALOTYPE_SOCKETS_H
#define CALOTYPE_SOCKETS_H

#include "ctransfer.h"

// The sockets that a client has open, found by what libcurl tells of a connection in use: both addresses and
// this side's port.

void calotype_client_add_socket(calotype_transfer_client *client, int handle);
void calotype_client_remove_socket(calotype_transfer_client *client, int handle);

// The socket of a transfer; -1 where there is none, or more than one that it could be: two connections from
// one port to two ports of one machine.
int calotype_client_socket(calotype_transfer_client *client, const calotype_transfer *transfer);

#endif
