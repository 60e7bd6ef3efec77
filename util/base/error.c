// SPDX-License-Identifier: GPL-2.0-or-later
#define ERROR_IMPLEMENTATION
#include "util/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
format(struct error *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		format(err, code, fmt, ap);
		va_end(ap);
	}
	return -code;
}

int error_set_errno(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		size_t n;

		va_start(ap, fmt);
		format(err, code, fmt, ap);
		va_end(ap);
		n = strlen(err->msg);
		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", strerror(code));
	}
	return -code;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	char old[ERROR_MSG_MAX];
	va_list ap;
	size_t n;

	if (!err)
		return -EINVAL;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	format(err, err->code, fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", old);
	return -err->code;
}

int error_nomem(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory");
}
