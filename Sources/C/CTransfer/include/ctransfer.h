#ifndef CALOTYPE_CTRANSFER_H
#define CALOTYPE_CTRANSFER_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// One HTTP transfer of libcurl: its limits, what it has brought, and what was found wrong with it.
//
// libcurl's options and results are variadic calls, which Swift has none of; and what libcurl calls while it
// reads stays here, so that it never waits for anybody. Everything is called on the thread that owns the
// transfers.

// Why a transfer was ended from here.
typedef enum {
    CALOTYPE_TRANSFER_SOUND,
    // More bytes of header fields than allowed.
    CALOTYPE_TRANSFER_HEAD_TOO_LARGE,
    // More bytes of body than allowed.
    CALOTYPE_TRANSFER_BODY_TOO_LARGE,
    // More bytes of body than compression explains.
    CALOTYPE_TRANSFER_BOMB,
    CALOTYPE_TRANSFER_OUT_OF_MEMORY,
} calotype_transfer_failure;

// Room for the text of an address, as `inet_ntop` writes it.
#define CALOTYPE_ADDRESS_LENGTH 64

// A socket of a connection, with both its ends; its port, which is this side's, is 0 while they are unknown.
typedef struct {
    int handle;
    int port;
    char own_address[CALOTYPE_ADDRESS_LENGTH];
    char address[CALOTYPE_ADDRESS_LENGTH];
} calotype_open_socket;

// What all transfers of one client have in common. Texts are copied; NULL leaves an option as it is.
typedef struct {
    // Where plain connections go instead of to a host's port.
    const char *unix_socket_path;
    // Certificates in PEM form that are trusted beside the system's; they must stay where they are.
    const char *trust_roots;
    size_t trust_roots_byte_count;
    // Whether an address may be connected to; NULL: each may.
    bool (*permits)(const struct sockaddr *address, void *context);
    void *permits_context;
    // Told before a socket is closed.
    void (*closes)(int socket, void *context);
    void *closes_context;
    // The sockets that are open.
    calotype_open_socket *sockets;
    size_t socket_count;
    size_t socket_capacity;
} calotype_transfer_client;

typedef struct {
    CURL *easy;
    calotype_transfer_client *client;
    struct curl_slist *fields;
    struct curl_slist *addresses;

    size_t head_byte_count_max;
    int64_t body_byte_count_max;
    // Where so much has not been read, the transfer pauses.
    size_t unread_byte_count_max;
    // What was handed over and has not been read.
    size_t unread_byte_count;
    // Its method is none of libcurl's own choice.
    bool has_method;
    // The body is read and thrown away.
    bool discards;

    // The latest head: its lines as they came, and once it is whole and not interim, its empty line.
    char *head;
    size_t head_byte_count;
    size_t head_capacity;
    bool is_head_whole;
    // A whole interim head has come, and what comes next begins another.
    bool has_interim_head;
    // The head names a coding of the body.
    bool is_packed;
    // A head sets a cookie.
    bool sets_cookies;
    // The handle holds cookies that the next transfer must not see.
    bool has_cookies;
    // Of all heads, interim ones and trailers included.
    size_t all_heads_byte_count;
    // The part of the body that has not been handed over.
    uint8_t *body;
    size_t body_byte_count;
    size_t body_capacity;
    // The bytes of the whole body so far, unpacked and as they came.
    int64_t unpacked_byte_count;
    int64_t packed_byte_count;
    // The end of what was read last, if it was as long.
    char last_bytes[2];

    // Counts what happens, so that silence can be told.
    uint64_t activity;
    // The connection stands and the request goes out.
    bool is_connected;
    bool is_paused;
    // An address was refused.
    bool is_refused;
    // Bytes follow after the end of the answer.
    bool has_excess;
    calotype_transfer_failure failure;
    // This side's port of the connection in use; -1 before there is one.
    int own_port;
    // The addresses of both its sides.
    char own_address[CALOTYPE_ADDRESS_LENGTH];
    char address[CALOTYPE_ADDRESS_LENGTH];

    char message[CURL_ERROR_SIZE];
} calotype_transfer;

// Makes a transfer that can be used again and again; NULL without memory.
calotype_transfer *calotype_transfer_create(calotype_transfer_client *client);
void calotype_transfer_destroy(calotype_transfer *transfer);

// Frees what a client has collected, once libcurl has let go of it.
void calotype_transfer_client_clear(calotype_transfer_client *client);

// Writes a host name in ASCII, its international labels in Punycode (UTS 46).
//
// Returns false where the name is not valid, or libidn2 is missing.
bool calotype_host_to_ascii(const char *host, char *ascii, size_t capacity);

// The bytes that wait on a socket behind a body: 0 for nothing, 1 for a line end, 2 for anything else.
int calotype_socket_rest(int socket);

// Whether each certificate of the text can be read and there is at least one.
bool calotype_transfer_reads_trust_roots(const char *pem, size_t byte_count);

// Forgets what the transfer before has left.
void calotype_transfer_reset(calotype_transfer *transfer);

// Adds a cookie, a line in Netscape's format, to those that the transfer may send.
bool calotype_transfer_add_cookie(calotype_transfer *transfer, const char *line);

// The cookies that the transfer has been given and those that heads have set, as lines in Netscape's format
// behind each other; NULL without memory. To be freed.
char *calotype_transfer_copy_cookies(const calotype_transfer *transfer);

// `CURLOPT_HTTPHEADER`, a line `Name: value`, and `CURLOPT_RESOLVE`, an entry `+host:port:address,address`:
// each adds one, and false says that there was no memory.
bool calotype_transfer_add_field(calotype_transfer *transfer, const char *line);
bool calotype_transfer_add_addresses(calotype_transfer *transfer, const char *entry);

// `curl_easy_setopt` for texts (NULL for none) and numbers; false where libcurl refuses.
bool calotype_transfer_set_text(calotype_transfer *transfer, CURLoption option, const char *text);
bool calotype_transfer_set_number(calotype_transfer *transfer, CURLoption option, long number);

// Another method than GET, and the bytes that go with it, which are copied (NULL for none); false without
// memory.
bool calotype_transfer_set_method(calotype_transfer *transfer, const char *method, const void *body,
                                  size_t byte_count);

// `curl_easy_getinfo` for times and counts, in microseconds and bytes; -1 where libcurl has none.
int64_t calotype_transfer_measure(const calotype_transfer *transfer, CURLINFO info);

// `curl_easy_getinfo` for numbers; -1 where libcurl has none.
long calotype_transfer_number(const calotype_transfer *transfer, CURLINFO info);
int64_t calotype_transfer_announced_byte_count(const calotype_transfer *transfer);
// The socket of the connection of a transfer that is done; -1 where it has been closed.
int calotype_transfer_kept_socket(const calotype_transfer *transfer);

// Hands the transfer over to the multi handle that runs it; false where libcurl refuses.
bool calotype_transfer_start(calotype_transfer *transfer, CURLM *multi);

// The bytes of the body that have come since the last call; the caller frees them. NULL where none have.
uint8_t *calotype_transfer_take_body(calotype_transfer *transfer, size_t *byte_count);

// Pauses a transfer of a packed body of which enough is unread; others pause by themselves.
void calotype_transfer_rest(calotype_transfer *transfer);

// Goes on after a pause.
void calotype_transfer_resume(calotype_transfer *transfer);

// A multi handle that keeps at most so many connections open, each for one transfer at a time; NULL without
// memory or without files to wake it by.
CURLM *calotype_multi_create(long connection_count_max);

#endif
