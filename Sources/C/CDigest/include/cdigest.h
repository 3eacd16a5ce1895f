#ifndef CALOTYPE_CDIGEST_H
#define CALOTYPE_CDIGEST_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>

// Digests by OpenSSL's libcrypto. An algorithm is fetched once in a process, since that takes longer than a
// digest of a few bytes, and is shared by all threads.

typedef enum {
    CALOTYPE_DIGEST_SHA256,
    CALOTYPE_DIGEST_MD5,
    CALOTYPE_DIGEST_SHA1,
} calotype_digest_algorithm;

// Starts a digest; NULL for lack of memory, or if this installation lacks the algorithm.
EVP_MD_CTX *calotype_digest_begin(calotype_digest_algorithm algorithm);

// Adds bytes; false if libcrypto fails.
bool calotype_digest_add(EVP_MD_CTX *digest, const void *bytes, size_t count);

// Writes the digest, 32 bytes for SHA-256, 16 for MD5, 20 for SHA-1; false if libcrypto fails.
bool calotype_digest_end(EVP_MD_CTX *digest, unsigned char *value);

// Frees a digest, finished or not.
void calotype_digest_free(EVP_MD_CTX *digest);

// Writes the HMAC of a message (RFC 2104), as many bytes as the digest has; false if libcrypto fails.
bool calotype_hmac(
    calotype_digest_algorithm algorithm,
    const void *key,
    size_t key_count,
    const void *message,
    size_t message_count,
    unsigned char *value
);

// Compares bytes in a time that does not reveal where they differ.
bool calotype_is_equal(const void *left, const void *right, size_t count);

#endif
