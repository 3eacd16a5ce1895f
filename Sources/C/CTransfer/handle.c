#include "ctransfer.h"

#include "sockets.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or later is needed"
#endif

void calotype_transfer_set_callbacks(calotype_transfer *transfer);

// Parses each certificate of a text, and adds it to the store if one is given.
//
// Returns the number of certificates, or -1 if one cannot be parsed.
static int each_certificate(const char *pem, size_t byte_count, X509_STORE *store) {
    BIO *text = BIO_new_mem_buf(pem, (int)byte_count);
    if (!text) return -1;
    int count = 0;
    X509 *certificate;
    while ((certificate = PEM_read_bio_X509(text, NULL, NULL, NULL))) {
        count += 1;
        if (store) X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
    }
    // OpenSSL reports the end of the text as an error too: no further line starts a certificate.
    bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    BIO_free(text);
    return is_end ? count : -1;
}

bool calotype_transfer_reads_trust_roots(const char *pem, size_t byte_count) {
    return byte_count <= INT32_MAX && each_certificate(pem, byte_count, NULL) > 0;
}

static CURLcode trust_more(CURL *easy, void *tls, void *context) {
    (void)easy;
    const calotype_transfer *transfer = context;
    const calotype_transfer_client *client = transfer->client;
    if (transfer->has_own_roots || !client->trust_roots) return CURLE_OK;
    X509_STORE *store = SSL_CTX_get_cert_store(tls);
    int count = each_certificate(client->trust_roots, client->trust_roots_byte_count, store);
    return count > 0 ? CURLE_OK : CURLE_SSL_CACERT_BADFILE;
}

static int close_socket(void *context, curl_socket_t handle) {
    calotype_transfer_client *client = context;
    calotype_client_remove_socket(client, handle);
    client->closes(handle, client->closes_context);
    return close(handle);
}

static void set_rules(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    // Abandons an unfinished name lookup; nothing here waits for it.
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    // All of one read is decoded, although the transfer pauses: up to 4 MiB, at the most plausible ratio.
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 16L << 10);
    // libcurl parses and sends cookies, with its list of public suffixes; no file is read or written.
    curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    // The hosts without a proxy have been determined; without this option libcurl reads the environment.
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
}

calotype_transfer *calotype_transfer_create(calotype_transfer_client *client) {
    calotype_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) return NULL;
    transfer->easy = curl_easy_init();
    if (!transfer->easy) {
        free(transfer);
        return NULL;
    }
    transfer->client = client;
    CURL *easy = transfer->easy;
    set_rules(easy);
    calotype_transfer_set_callbacks(transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, client);
    if (client->unix_socket_path) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, client->unix_socket_path);
    if (client->trust_roots) {
        CURLcode result = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, trust_more);
        curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, transfer);
        // Fail for a libcurl without OpenSSL: the roots must not be ignored silently.
        if (result != CURLE_OK) {
            calotype_transfer_destroy(transfer);
            return NULL;
        }
    }
    return transfer;
}

static void free_lists(calotype_transfer *transfer) {
    curl_slist_free_all(transfer->fields);
    curl_slist_free_all(transfer->addresses);
    transfer->fields = NULL;
    transfer->addresses = NULL;
}

void calotype_transfer_destroy(calotype_transfer *transfer) {
    curl_easy_cleanup(transfer->easy);
    free_lists(transfer);
    free(transfer->head);
    free(transfer->body);
    free(transfer);
}

void calotype_transfer_reset(calotype_transfer *transfer) {
    free_lists(transfer);
    free(transfer->body);
    transfer->body = NULL;
    transfer->body_byte_count = transfer->body_capacity = 0;
    transfer->head_byte_count = transfer->all_heads_byte_count = 0;
    transfer->unread_byte_count = 0;
    memset(transfer->last_bytes, 0, sizeof transfer->last_bytes);
    transfer->unpacked_byte_count = transfer->packed_byte_count = 0;
    transfer->is_head_whole = transfer->has_interim_head = transfer->is_packed = transfer->discards = false;
    transfer->coding_count = 0;
    transfer->is_connected = transfer->is_paused = transfer->is_refused = transfer->has_excess = false;
    if (transfer->has_method) {
        curl_easy_setopt(transfer->easy, CURLOPT_COPYPOSTFIELDS, NULL);
        curl_easy_setopt(transfer->easy, CURLOPT_HTTPGET, 1L);
        curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, NULL);
        transfer->has_method = false;
    }
    // Always, since libcurl may have stored a cookie of a rejected response.
    curl_easy_setopt(transfer->easy, CURLOPT_COOKIELIST, "ALL");
    if (transfer->has_cookies) curl_easy_setopt(transfer->easy, CURLOPT_COOKIE, NULL);
    transfer->has_cookies = transfer->sets_cookies = false;
    transfer->failure = CALOTYPE_TRANSFER_SOUND;
    transfer->own_port = -1;
    transfer->message[0] = 0;
    curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 0L);
    curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT, 0L);
}

static bool append(struct curl_slist **list, const char *text) {
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (!longer) return false;
    *list = longer;
    return true;
}

bool calotype_transfer_add_field(calotype_transfer *transfer, const char *line) {
    return append(&transfer->fields, line);
}

bool calotype_transfer_add_cookie(calotype_transfer *transfer, const char *line) {
    transfer->has_cookies = true;
    return curl_easy_setopt(transfer->easy, CURLOPT_COOKIELIST, line) == CURLE_OK;
}

char *calotype_transfer_copy_cookies(const calotype_transfer *transfer) {
    struct curl_slist *cookies = NULL;
    if (curl_easy_getinfo(transfer->easy, CURLINFO_COOKIELIST, &cookies) != CURLE_OK) return NULL;
    size_t byte_count = 1;
    for (struct curl_slist *each = cookies; each; each = each->next) byte_count += strlen(each->data) + 1;
    char *text = malloc(byte_count);
    char *end = text;
    for (struct curl_slist *each = cookies; text && each; each = each->next) {
        size_t length = strlen(each->data);
        memcpy(end, each->data, length);
        end += length;
        *end++ = '\n';
    }
    if (text) *end = 0;
    curl_slist_free_all(cookies);
    return text;
}

bool calotype_transfer_add_addresses(calotype_transfer *transfer, const char *entry) {
    return append(&transfer->addresses, entry);
}

bool calotype_transfer_set_text(calotype_transfer *transfer, CURLoption option, const char *text) {
    return curl_easy_setopt(transfer->easy, option, text) == CURLE_OK;
}

bool calotype_transfer_set_number(calotype_transfer *transfer, CURLoption option, long number) {
    return curl_easy_setopt(transfer->easy, option, number) == CURLE_OK;
}

bool calotype_transfer_set_method(calotype_transfer *transfer, const char *method, const void *body,
                                  size_t byte_count) {
    CURL *easy = transfer->easy;
    transfer->has_method = true;
    if (body) {
        curl_off_t size = (curl_off_t)byte_count;
        if (curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size) != CURLE_OK) return false;
        if (curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body) != CURLE_OK) return false;
    }
    return curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK;
}

int64_t calotype_transfer_measure(const calotype_transfer *transfer, CURLINFO info) {
    curl_off_t number = -1;
    return curl_easy_getinfo(transfer->easy, info, &number) == CURLE_OK ? (int64_t)number : -1;
}

long calotype_transfer_number(const calotype_transfer *transfer, CURLINFO info) {
    long number = -1;
    return curl_easy_getinfo(transfer->easy, info, &number) == CURLE_OK ? number : -1;
}

int64_t calotype_transfer_announced_byte_count(const calotype_transfer *transfer) {
    curl_off_t count = -1;
    CURLcode result = curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &count);
    return result == CURLE_OK ? (int64_t)count : -1;
}

int calotype_transfer_kept_socket(const calotype_transfer *transfer) {
    curl_socket_t handle = CURL_SOCKET_BAD;
    CURLcode result = curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &handle);
    return result == CURLE_OK ? handle : -1;
}

bool calotype_transfer_start(calotype_transfer *transfer, CURLM *multi) {
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->fields);
    curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, transfer->addresses);
    return curl_multi_add_handle(multi, transfer->easy) == CURLM_OK;
}

CURLM *calotype_multi_create(long connection_count_max) {
    CURLM *multi = curl_multi_init();
    if (!multi) return NULL;
    // Out of descriptors, libcurl creates a handle that cannot be woken, and reports it only here.
    if (curl_multi_wakeup(multi) != CURLM_OK) {
        curl_multi_cleanup(multi);
        return NULL;
    }
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connection_count_max);
    // Streams on one connection are read together: a stream with a paused reader would fill memory.
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    return multi;
}
