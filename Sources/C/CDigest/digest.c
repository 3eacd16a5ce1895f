#include "cdigest.h"

#include <pthread.h>

static EVP_MD *sha256;
static EVP_MD *md5;

static void fetch(void) {
    sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    md5 = EVP_MD_fetch(NULL, "MD5", NULL);
}

EVP_MD_CTX *calotype_digest_begin(calotype_digest_algorithm algorithm) {
    static pthread_once_t fetched = PTHREAD_ONCE_INIT;
    pthread_once(&fetched, fetch);
    const EVP_MD *kind = algorithm == CALOTYPE_DIGEST_SHA256 ? sha256 : md5;
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
