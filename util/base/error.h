/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct error: the reason of a failure, as one line for the user.
 *
 * A function that can fail returns 0 or -errno and, on failure, fills the caller's struct error.
 * Code in util/ never prints; perf.c and builtin/ print err->msg once and exit. The caller provides
 * the struct, which needs no cleanup. It may be NULL everywhere, if only the code is needed.
 *
 * The message is one line without a final newline or full stop. It has the subject in 'single
 * quotes', an offset if there is one, and what to do about it.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#define ERROR_MSG_MAX 1024

struct error {
	int code; /* positive errno; 0: no error */
	char msg[ERROR_MSG_MAX];
};

#define ERROR_INIT                                                                                 \
	{                                                                                          \
		0                                                                                  \
	}

/* Fill *err; code is a positive errno.  Returns -code, so: return error_set(...). */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Like error_set(), followed by ": " and the errno's own text. */
int error_set_errno(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put a prefix and ": " before the message. Returns -err->code. */
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The message for a failed allocation. Returns -ENOMEM. */
int error_nomem(struct error *err);

/* clang's analyzer reads one file at a time; declare here that these never return 0. */
#if defined(__clang_analyzer__) && !defined(ERROR_IMPLEMENTATION)
#define error_set(...)	     (error_set(__VA_ARGS__), -1)
#define error_set_errno(...) (error_set_errno(__VA_ARGS__), -1)
#define error_prefix(...)    (error_prefix(__VA_ARGS__), -1)
#define error_nomem(...)     (error_nomem(__VA_ARGS__), -1)
#endif

#endif
