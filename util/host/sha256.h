/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for messages in memory.
 *
 * This is for identifiers that must not be traced back, not for secrets: a library of cryptography
 * would take longer to load than most commands run.
 */
#ifndef HOST_SHA256_H
#define HOST_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE  32
#define SHA256_BLOCK 64

void sha256(const void *message, size_t size, uint8_t ret[SHA256_SIZE]);

/* Key and message have at most SHA256_BLOCK bytes each. */
void sha256_hmac(const void *key, size_t key_size, const void *message, size_t size,
		 uint8_t ret[SHA256_SIZE]);

#endif
