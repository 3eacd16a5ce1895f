#include "cdigest.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <pthread.h>

static EVP_MD *sha256;
static EVP_MD *md5;
static EVP_MD *sha1;

static void fetch(void) {
    sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
}

static const EVP_MD *kind_of(calotype_digest_algorithm algorithm) {
    static pthread_once_t fetched = PTHREAD_ONCE_INIT;
    pthread_once(&fetched, fetch);
    switch (algorithm) {
    case CALOTYPE_DIGEST_SHA256: return sha256;
    case CALOTYPE_DIGEST_MD5: return md5;
    case CALOTYPE_DIGEST_SHA1: return sha1;
    }
    return NULL;
}

EVP_MD_CTX *calotype_digest_begin(calotype_digest_algorithm algorithm) {
    const EVP_MD *kind = kind_of(algorithm);
    EVP_MD_CTX *digest = kind == NULL ? NULL : EVP_MD_CTX_new();
    if (digest != NULL && EVP_DigestInit_ex(digest, kind, NULL) == 1) return digest;
    EVP_MD_CTX_free(digest);
    return NULL;
}

bool calotype_digest_add(EVP_MD_CTX *digest, const void *bytes, size_t count) {
    return EVP_DigestUpdate(digest, bytes, count) == 1;
}

bool calotype_digest_end(EVP_MD_CTX *digest, unsigned char *value) {
    return EVP_DigestFinal_ex(digest, value, NULL) == 1;
}

void calotype_digest_free(EVP_MD_CTX *digest) {
    EVP_MD_CTX_free(digest);
}

bool calotype_hmac(
    calotype_digest_algorithm algorithm,
    const void *key,
    size_t key_count,
    const void *message,
    size_t message_count,
    unsigned char *value
) {
    const EVP_MD *kind = kind_of(algorithm);
    if (kind == NULL || key_count > INT_MAX) return false;
    return HMAC(kind, key, (int)key_count, message, message_count, value, NULL) != NULL;
}

bool calotype_is_equal(const void *left, const void *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}
