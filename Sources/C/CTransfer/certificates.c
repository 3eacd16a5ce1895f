#include "ctransfer.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

// Called for an encrypted key; without it OpenSSL would ask on the terminal.
static int refuse_passphrase(char *passphrase, int capacity, int is_written, void *context) {
    (void)passphrase, (void)capacity, (void)is_written;
    *(bool *)context = true;
    return -1;
}

static X509 *first_certificate(const char *pem, size_t byte_count) {
    BIO *text = byte_count <= INT32_MAX ? BIO_new_mem_buf(pem, (int)byte_count) : NULL;
    if (!text) return NULL;
    X509 *certificate = PEM_read_bio_X509(text, NULL, NULL, NULL);
    BIO_free(text);
    return certificate;
}

calotype_client_certificate_verdict calotype_transfer_judge_certificate(
    const char *certificate, size_t certificate_byte_count, const char *key, size_t key_byte_count) {
    X509 *first = first_certificate(certificate, certificate_byte_count);
    BIO *text = key_byte_count <= INT32_MAX ? BIO_new_mem_buf(key, (int)key_byte_count) : NULL;
    bool is_encrypted = false;
    EVP_PKEY *own = text ? PEM_read_bio_PrivateKey(text, NULL, refuse_passphrase, &is_encrypted) : NULL;
    calotype_client_certificate_verdict verdict = CALOTYPE_CLIENT_CERTIFICATE_VALID;
    if (!first) {
        verdict = CALOTYPE_CLIENT_CERTIFICATE_UNREADABLE;
    } else if (!own) {
        verdict = is_encrypted ? CALOTYPE_CLIENT_KEY_ENCRYPTED : CALOTYPE_CLIENT_KEY_UNREADABLE;
    } else if (X509_check_private_key(first, own) != 1) {
        verdict = CALOTYPE_CLIENT_KEY_OF_ANOTHER_CERTIFICATE;
    }
    EVP_PKEY_free(own);
    BIO_free(text);
    X509_free(first);
    ERR_clear_error();
    return verdict;
}

static bool set_blob(CURL *easy, CURLoption option, const char *bytes, size_t byte_count) {
    struct curl_blob blob = {(void *)bytes, byte_count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

bool calotype_transfer_set_tls(calotype_transfer *transfer, const char *roots, size_t root_byte_count,
                               const char *certificate, size_t certificate_byte_count, const char *key,
                               size_t key_byte_count) {
    CURL *easy = transfer->easy;
    transfer->has_own_tls = true;
    transfer->has_own_roots = root_byte_count > 0;
    if (transfer->has_own_roots) {
        // Without this libcurl would trust the system's folder of certificates as well.
        if (curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) != CURLE_OK) return false;
        if (!set_blob(easy, CURLOPT_CAINFO_BLOB, roots, root_byte_count)) return false;
    }
    if (certificate_byte_count == 0) return true;
    return curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM") == CURLE_OK
        && curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM") == CURLE_OK
        && set_blob(easy, CURLOPT_SSLCERT_BLOB, certificate, certificate_byte_count)
        && set_blob(easy, CURLOPT_SSLKEY_BLOB, key, key_byte_count);
}
