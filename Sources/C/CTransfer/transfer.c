#define _GNU_SOURCE
#include "ctransfer.h"

#include "sockets.h"

#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// A smaller decoded body is never treated as a decompression bomb.
static const int64_t unsuspicious_byte_count = 1 << 20;
// The maximum ratio of deflate is 1,032; images that are worth compressing stay below 100.
static const int64_t unpacked_ratio_max = 250;
// The maximum initial allocation for a body, whatever size is announced.
static const size_t first_capacity_max = 1 << 20;

// Above this size, encoded or chunked data may be up to twice the body's limit.
static const int64_t unsuspicious_packed_byte_count = 1 << 20;

// Allocates space for more bytes; false for lack of memory.
static bool reserve(void **bytes, size_t *capacity, size_t needed, size_t first) {
    if (needed <= *capacity) return true;
    size_t wanted = *capacity < first ? first : *capacity * 2;
    if (wanted < needed) wanted = needed;
    void *grown = realloc(*bytes, wanted);
    if (!grown) return false;
    *bytes = grown;
    *capacity = wanted;
    return true;
}

static bool begins(const char *text, size_t byte_count, const char *beginning) {
    size_t length = strlen(beginning);
    return byte_count >= length && memcmp(text, beginning, length) == 0;
}

// Returns whether a header line has a field name, which is given with its colon.
static bool is_field(const char *line, size_t byte_count, const char *name) {
    size_t length = strlen(name);
    return byte_count > length && strncasecmp(line, name, length) == 0;
}

// Returns the number of codings that a field states and libcurl would decode.
static int coding_count(const char *line, size_t byte_count) {
    static const char *const known[] = {"gzip", "x-gzip", "deflate", "br", "zstd"};
    const char *end = line + byte_count, *text = memchr(line, ':', byte_count);
    int count = 0;
    while (text && ++text < end) {
        const char *next = memchr(text, ',', end - text);
        size_t length = (next ? next : end) - text;
        while (length && strchr(" \t\r\n", *text)) text++, length--;
        while (length && strchr(" \t\r\n", text[length - 1])) length--;
        for (size_t index = 0; index < sizeof known / sizeof *known; index++) {
            if (strlen(known[index]) == length && strncasecmp(text, known[index], length) == 0) count++;
        }
        text = next;
    }
    return count;
}

// Returns the status of a line `HTTP/1.1 200 OK`.
static int status_of(const char *line, size_t byte_count) {
    const char *blank = memchr(line, ' ', byte_count);
    if (!blank || line + byte_count - blank < 4) return 0;
    return (blank[1] - '0') * 100 + (blank[2] - '0') * 10 + (blank[3] - '0');
}

static bool is_interim(const calotype_transfer *transfer) {
    int status = status_of(transfer->head, transfer->head_byte_count);
    return status >= 100 && status < 200 && status != 101;
}

static size_t take_head(char *line, size_t size, size_t count, void *context) {
    calotype_transfer *transfer = context;
    size_t byte_count = size * count;
    transfer->activity += 1;
    transfer->all_heads_byte_count += byte_count;
    if (transfer->all_heads_byte_count > transfer->head_byte_count_max) {
        transfer->failure = CALOTYPE_TRANSFER_HEAD_TOO_LARGE;
        return 0;
    }
    // Fields after the header are trailers, which are ignored.
    if (transfer->is_head_whole) return byte_count;
    // Another header follows an interim one; within a header, a status line is a line without a name,
    // rejected later.
    if (transfer->has_interim_head) {
        transfer->head_byte_count = 0;
        transfer->has_interim_head = transfer->is_packed = false;
        transfer->coding_count = 0;
    }
    size_t needed = transfer->head_byte_count + byte_count;
    if (!reserve((void **)&transfer->head, &transfer->head_capacity, needed, 1024)) {
        transfer->failure = CALOTYPE_TRANSFER_OUT_OF_MEMORY;
        return 0;
    }
    memcpy(transfer->head + transfer->head_byte_count, line, byte_count);
    transfer->head_byte_count += byte_count;
    bool is_end = byte_count <= 2 && (line[0] == '\r' || line[0] == '\n');
    transfer->has_interim_head = is_end && is_interim(transfer);
    transfer->is_head_whole = is_end && !transfer->has_interim_head;
    // libcurl decodes transfer codings too.
    bool has_codings = is_field(line, byte_count, "transfer-encoding:");
    if (is_field(line, byte_count, "content-encoding:")) has_codings = transfer->is_packed = true;
    if (has_codings) transfer->coding_count += coding_count(line, byte_count);
    if (transfer->coding_count > 0) transfer->is_packed = true;
    // Between two codings there may be any number of bytes, which no limit would count.
    if (transfer->coding_count > 1) {
        transfer->failure = CALOTYPE_TRANSFER_CODINGS;
        return 0;
    }
    transfer->sets_cookies = transfer->sets_cookies || is_field(line, byte_count, "set-cookie:");
    return byte_count;
}

// The kind of bytes that follow a body.
typedef enum { NOTHING, LINE_END, EXCESS } rest_of_body;

// Classifies the bytes that were read ahead: some servers send a line end after a body, which curl and
// browsers accept.
static rest_of_body rest_of(const char *bytes, long count) {
    if (count <= 0) return NOTHING;
    bool is_line_end = (count == 1 && bytes[0] == '\n') || (count == 2 && memcmp(bytes, "\r\n", 2) == 0);
    return is_line_end ? LINE_END : EXCESS;
}

// Peeks at the bytes after a body that has just reached its announced end.
//
// libcurl reads up to that end and would treat further bytes as the next response on the connection.
static rest_of_body rest_behind(const calotype_transfer *transfer) {
    // Frames that are not part of a response may arrive at any time.
    long version = calotype_transfer_number(transfer, CURLINFO_HTTP_VERSION);
    if (version >= CURL_HTTP_VERSION_2_0) return NOTHING;
    char bytes[3];
    struct curl_tlssessioninfo *session = NULL;
    CURLcode result = curl_easy_getinfo(transfer->easy, CURLINFO_TLS_SSL_PTR, &session);
    if (result == CURLE_OK && session && session->internals) {
        bool is_pending = session->backend == CURLSSLBACKEND_OPENSSL && SSL_pending(session->internals) > 0;
        return is_pending ? rest_of(bytes, SSL_peek(session->internals, bytes, sizeof bytes)) : NOTHING;
    }
    return calotype_socket_rest(calotype_client_socket(transfer->client, transfer));
}

int calotype_socket_rest(int socket) {
    char bytes[3];
    return socket < 0 ? NOTHING : rest_of(bytes, recv(socket, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT));
}

static void note_rest(calotype_transfer *transfer, rest_of_body rest) {
    if (rest == NOTHING) return;
    transfer->has_excess = transfer->has_excess || rest == EXCESS;
    curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 1L);
}

static bool is_bomb(const calotype_transfer *transfer) {
    return transfer->unpacked_byte_count > unsuspicious_byte_count
        && transfer->packed_byte_count > 0
        && transfer->unpacked_byte_count / unpacked_ratio_max > transfer->packed_byte_count;
}

static bool has_enough(const calotype_transfer *transfer) {
    size_t unread = transfer->unread_byte_count + transfer->body_byte_count;
    return !transfer->discards && unread >= transfer->unread_byte_count_max;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    calotype_transfer *transfer = context;
    size_t byte_count = size * count;
    transfer->activity += 1;
    if (byte_count == 0 || transfer->failure) return 0;
    // For an encoded body libcurl would repeat the call with all that it has decoded by then.
    if (!transfer->is_packed && has_enough(transfer)) {
        transfer->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if ((int64_t)byte_count > transfer->body_byte_count_max - transfer->unpacked_byte_count) {
        transfer->failure = CALOTYPE_TRANSFER_BODY_TOO_LARGE;
        return 0;
    }
    transfer->unpacked_byte_count += (int64_t)byte_count;
    if (is_bomb(transfer)) {
        transfer->failure = CALOTYPE_TRANSFER_BOMB;
        return 0;
    }
    int64_t announced = calotype_transfer_announced_byte_count(transfer);
    if (!transfer->discards) {
        size_t first = first_capacity_max;
        if (announced < (int64_t)first) first = announced > 0 ? (size_t)announced : 16 << 10;
        size_t needed = transfer->body_byte_count + byte_count;
        if (!reserve((void **)&transfer->body, &transfer->body_capacity, needed, first)) {
            transfer->failure = CALOTYPE_TRANSFER_OUT_OF_MEMORY;
            return 0;
        }
        memcpy(transfer->body + transfer->body_byte_count, bytes, byte_count);
        transfer->body_byte_count += byte_count;
        // Otherwise libcurl would read and decode whatever has arrived before it returns. It keeps the rest
        // of its last read.
        if (transfer->is_packed && !transfer->is_paused && has_enough(transfer)) {
            transfer->is_paused = curl_easy_pause(transfer->easy, CURLPAUSE_RECV) == CURLE_OK;
        }
    }
    int64_t come = transfer->is_packed ? transfer->packed_byte_count : transfer->unpacked_byte_count;
    if (come == announced) note_rest(transfer, rest_behind(transfer));
    return byte_count;
}

// Parses the excess that libcurl reports: `… excess = 2, …`; it is the end of the last bytes read.
static rest_of_body rest_told(const calotype_transfer *transfer, const char *text, size_t byte_count) {
    static const char mark[] = "excess = ";
    const char *found = memmem(text, byte_count, mark, sizeof mark - 1);
    long count = found ? atol(found + sizeof mark - 1) : 0;
    if (count < 1 || count > (long)sizeof transfer->last_bytes) return EXCESS;
    return rest_of(transfer->last_bytes + sizeof transfer->last_bytes - count, count);
}

// libcurl reports only here that bytes followed the end of a response, and the size before decoding.
static int take_note(CURL *easy, curl_infotype kind, char *text, size_t byte_count, void *context) {
    (void)easy;
    calotype_transfer *transfer = context;
    if (kind == CURLINFO_DATA_IN) {
        transfer->packed_byte_count += (int64_t)byte_count;
        size_t last_count = sizeof transfer->last_bytes;
        if (byte_count >= last_count) {
            memcpy(transfer->last_bytes, text + byte_count - last_count, last_count);
        } else if (byte_count == 1) {
            transfer->last_bytes[0] = transfer->last_bytes[1];
            transfer->last_bytes[1] = text[0];
        }
        bool is_much = transfer->packed_byte_count > unsuspicious_packed_byte_count
            && transfer->packed_byte_count / 2 > transfer->body_byte_count_max;
        // The owner ends the transfer: the return value has no effect here.
        if (is_much && !transfer->failure) transfer->failure = CALOTYPE_TRANSFER_BODY_TOO_LARGE;
        return 0;
    }
    if (kind != CURLINFO_TEXT) return 0;
    if (begins(text, byte_count, "Leftovers after chunking")) note_rest(transfer, EXCESS);
    if (begins(text, byte_count, "Excess found")) {
        note_rest(transfer, rest_told(transfer, text, byte_count));
    }
    return 0;
}

static int begin_request(void *context, char *address, char *own_address, int port, int own_port) {
    (void)port;
    calotype_transfer *transfer = context;
    snprintf(transfer->address, sizeof transfer->address, "%s", address ? address : "");
    snprintf(transfer->own_address, sizeof transfer->own_address, "%s", own_address ? own_address : "");
    transfer->activity += 1;
    transfer->is_connected = true;
    transfer->own_port = own_port;
    return CURL_PREREQFUNC_OK;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    calotype_transfer *transfer = context;
    calotype_transfer_client *client = transfer->client;
    if (client->permits && !client->permits(&address->addr, client->permits_context)) {
        transfer->is_refused = true;
        return CURL_SOCKET_BAD;
    }
    int handle = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (handle >= 0) calotype_client_add_socket(client, handle);
    return handle;
}

void calotype_transfer_set_callbacks(calotype_transfer *transfer) {
    CURL *easy = transfer->easy;
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, take_note);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
}

uint8_t *calotype_transfer_take_body(calotype_transfer *transfer, size_t *byte_count) {
    uint8_t *body = transfer->body;
    *byte_count = transfer->body_byte_count;
    if (*byte_count == 0) return NULL;
    if (transfer->body_capacity - *byte_count > *byte_count / 4) {
        uint8_t *shrunk = realloc(body, *byte_count);
        if (shrunk) body = shrunk;
    }
    transfer->body = NULL;
    transfer->body_byte_count = 0;
    transfer->body_capacity = 0;
    return body;
}

void calotype_transfer_resume(calotype_transfer *transfer) {
    transfer->is_paused = false;
    curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
}
