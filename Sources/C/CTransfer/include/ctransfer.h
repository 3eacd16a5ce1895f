#ifndef CALOTYPE_CTRANSFER_H
#define CALOTYPE_CTRANSFER_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// One HTTP transfer of libcurl: its limits, the received data, and its failure.
//
// libcurl's options and results are variadic calls, which Swift does not support. Its callbacks are
// implemented here too, so that they never wait. All functions are called on the thread that owns the
// transfers.

// The reason why this code ended a transfer.
typedef enum {
    CALOTYPE_TRANSFER_SOUND,
    // The header fields exceed their limit.
    CALOTYPE_TRANSFER_HEAD_TOO_LARGE,
    // The body exceeds its limit.
    CALOTYPE_TRANSFER_BODY_TOO_LARGE,
    // The body's compression ratio is implausible.
    CALOTYPE_TRANSFER_BOMB,
    // The body has several codings, one within the other.
    CALOTYPE_TRANSFER_CODINGS,
    CALOTYPE_TRANSFER_OUT_OF_MEMORY,
} calotype_transfer_failure;

// The size of an address as text, as written by `inet_ntop`.
#define CALOTYPE_ADDRESS_LENGTH 64

// A socket of a connection, with both its ends; its local port is 0 while they are unknown.
typedef struct {
    int handle;
    int port;
    char own_address[CALOTYPE_ADDRESS_LENGTH];
    char address[CALOTYPE_ADDRESS_LENGTH];
} calotype_open_socket;

// The common settings and state of a client's transfers. Texts are copied; NULL leaves an option unchanged.
typedef struct {
    // The socket for plain connections instead of a host's port.
    const char *unix_socket_path;
    // Certificates in PEM form that are trusted in addition to the system's; not copied.
    const char *trust_roots;
    size_t trust_roots_byte_count;
    // Returns whether an address may be connected to; NULL permits all.
    bool (*permits)(const struct sockaddr *address, void *context);
    void *permits_context;
    // Called before a socket is closed.
    void (*closes)(int socket, void *context);
    void *closes_context;
    // The open sockets.
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
    // The number of unread bytes at which the transfer pauses.
    size_t unread_byte_count_max;
    // The bytes that were delivered but not read.
    size_t unread_byte_count;
    // The method was set explicitly.
    bool has_method;
    // The body is read and discarded.
    bool discards;

    // The latest header: its lines as received, and once it is complete and final, its empty line.
    char *head;
    size_t head_byte_count;
    size_t head_capacity;
    bool is_head_whole;
    // A complete interim header has arrived, and another one follows.
    bool has_interim_head;
    // The header states a coding of the body.
    bool is_packed;
    // The number of codings in the header that libcurl decodes.
    int coding_count;
    // A header sets a cookie.
    bool sets_cookies;
    // The handle holds cookies that must not reach the next transfer.
    bool has_cookies;
    // The handle has certificates for one origin: it is destroyed after its transfer, never reused.
    bool has_own_tls;
    // Trust roots of the origin replace the client's.
    bool has_own_roots;
    // The size of all headers, including interim ones and trailers.
    size_t all_heads_byte_count;
    // The part of the body that has not been delivered.
    uint8_t *body;
    size_t body_byte_count;
    size_t body_capacity;
    // The bytes of the whole body so far, decoded and as received.
    int64_t unpacked_byte_count;
    int64_t packed_byte_count;
    // The last two bytes read, if there were as many.
    char last_bytes[2];

    // Counts events, for detecting silence.
    uint64_t activity;
    // The connection is established and the request is being sent.
    bool is_connected;
    bool is_paused;
    // An address was rejected.
    bool is_refused;
    // Bytes follow the end of the response.
    bool has_excess;
    calotype_transfer_failure failure;
    // The local port of the connection in use; -1 before there is one.
    int own_port;
    // The addresses of both ends.
    char own_address[CALOTYPE_ADDRESS_LENGTH];
    char address[CALOTYPE_ADDRESS_LENGTH];

    char message[CURL_ERROR_SIZE];
} calotype_transfer;

// Creates a reusable transfer; NULL for lack of memory.
calotype_transfer *calotype_transfer_create(calotype_transfer_client *client);
void calotype_transfer_destroy(calotype_transfer *transfer);

// Frees a client's state, once libcurl no longer uses it.
void calotype_transfer_client_clear(calotype_transfer_client *client);

// Writes a host name in ASCII, with international labels in Punycode (UTS 46).
//
// Returns false if the name is invalid, or libidn2 is missing.
bool calotype_host_to_ascii(const char *host, char *ascii, size_t capacity);

// Returns the kind of bytes that wait on a socket after a body: 0 for none, 1 for a line end, 2 for others.
int calotype_socket_rest(int socket);

// Returns whether the text contains at least one certificate, and all can be parsed.
bool calotype_transfer_reads_trust_roots(const char *pem, size_t byte_count);

// The verdict on a client certificate and its key, both in PEM form.
typedef enum {
    CALOTYPE_CLIENT_CERTIFICATE_VALID,
    CALOTYPE_CLIENT_CERTIFICATE_UNREADABLE,
    CALOTYPE_CLIENT_KEY_UNREADABLE,
    // The key needs a passphrase.
    CALOTYPE_CLIENT_KEY_ENCRYPTED,
    CALOTYPE_CLIENT_KEY_OF_ANOTHER_CERTIFICATE,
} calotype_client_certificate_verdict;

// Parses a certificate, which other certificates of its chain may follow, and its key.
calotype_client_certificate_verdict calotype_transfer_judge_certificate(
    const char *certificate, size_t certificate_byte_count, const char *key, size_t key_byte_count);

// Sets certificates for one origin, in PEM form, which libcurl copies: trust roots in place of the system's
// and the client's, and a client certificate with its key; a size of 0 leaves either out.
//
// libcurl compares both when it looks for a connection to reuse. Returns false if libcurl cannot use them.
bool calotype_transfer_set_tls(calotype_transfer *transfer, const char *roots, size_t root_byte_count,
                               const char *certificate, size_t certificate_byte_count, const char *key,
                               size_t key_byte_count);

// Clears the state of the previous transfer.
void calotype_transfer_reset(calotype_transfer *transfer);

// Adds a cookie that the transfer may send, a line in Netscape's format.
bool calotype_transfer_add_cookie(calotype_transfer *transfer, const char *line);

// Returns the cookies that were added or set by responses, as consecutive lines in Netscape's format; NULL
// for lack of memory. The caller frees the text.
char *calotype_transfer_copy_cookies(const calotype_transfer *transfer);

// Add a line `Name: value` to `CURLOPT_HTTPHEADER`, or an entry `+host:port:address,address` to
// `CURLOPT_RESOLVE`; false for lack of memory.
bool calotype_transfer_add_field(calotype_transfer *transfer, const char *line);
bool calotype_transfer_add_addresses(calotype_transfer *transfer, const char *entry);

// `curl_easy_setopt` for texts (NULL for none) and numbers; false if libcurl rejects the value.
bool calotype_transfer_set_text(calotype_transfer *transfer, CURLoption option, const char *text);
bool calotype_transfer_set_number(calotype_transfer *transfer, CURLoption option, long number);

// Sets a method other than GET, and a body, which is copied (NULL for none); false for lack of memory.
bool calotype_transfer_set_method(calotype_transfer *transfer, const char *method, const void *body,
                                  size_t byte_count);

// `curl_easy_getinfo` for times and counts, in microseconds and bytes; -1 if libcurl has none.
int64_t calotype_transfer_measure(const calotype_transfer *transfer, CURLINFO info);

// `curl_easy_getinfo` for numbers; -1 if libcurl has none.
long calotype_transfer_number(const calotype_transfer *transfer, CURLINFO info);
int64_t calotype_transfer_announced_byte_count(const calotype_transfer *transfer);
// Returns the socket of a finished transfer's connection; -1 if it has been closed.
int calotype_transfer_kept_socket(const calotype_transfer *transfer);

// Adds the transfer to the multi handle that runs it; false if libcurl rejects it.
bool calotype_transfer_start(calotype_transfer *transfer, CURLM *multi);

// Returns the bytes of the body received since the last call, NULL for none; the caller frees them.
uint8_t *calotype_transfer_take_body(calotype_transfer *transfer, size_t *byte_count);

// Resumes a paused transfer.
void calotype_transfer_resume(calotype_transfer *transfer);

// Creates a multi handle with a maximum number of connections, each for one transfer at a time; NULL for lack
// of memory, or of descriptors for waking it.
CURLM *calotype_multi_create(long connection_count_max);

#endif
