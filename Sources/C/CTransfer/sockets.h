#ifndef CALOTYPE_SOCKETS_H
#define CALOTYPE_SOCKETS_H

#include "ctransfer.h"

// The open sockets of a client, found by the addresses and the local port that libcurl reports for a
// connection.

void calotype_client_add_socket(calotype_transfer_client *client, int handle);
void calotype_client_remove_socket(calotype_transfer_client *client, int handle);

// Returns the socket of a transfer; -1 if there is none, or several match: two connections from one port to
// two ports of one machine.
int calotype_client_socket(calotype_transfer_client *client, const calotype_transfer *transfer);

#endif
