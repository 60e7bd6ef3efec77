/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct tracefs: the kernel's tracing file system, and the events in it.
 *
 * tracefs_find() uses a mounted one from /proc/mounts (tracefs, or debugfs with "tracing" in it).
 * If there is none, as on a machine without systemd, it mounts one if the caller and the system
 * allow it; it stays mounted. All texts are the kernel's own.
 *
 * Errors are lines for the user. If tracefs is not readable, they name the missing permission. If
 * an event does not exist, they list the existing ones, or name the kernel option that it needs.
 * Facts: Documentation/trace/ftrace.rst, Documentation/trace/events.rst.
 */
#ifndef HOST_TRACEFS_H
#define HOST_TRACEFS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

struct tracefs {
	char path[PATH_MAX]; /* for example /sys/kernel/tracing */
	bool mounted;	     /* mounted by this program just now */
};

int tracefs_find(struct tracefs *t, bool may_mount, struct error *err);

/* Use one given by the user, or a copy of one, without examining it. Errors: the path is too
 * long. */
int tracefs_at(struct tracefs *t, const char *path, struct error *err);

/* Returns -ENOENT with an explanation if the event (or its whole system) does not exist. */
int tracefs_event_id(const struct tracefs *t, const char *system, const char *name,
		     uint64_t *ret_id, struct error *err);

/*
 * Append a file of a tracefs, or of a copy, which may contain anything. Returns 0 or -errno;
 * -EINVAL for a FIFO or the like; -EFBIG if it is larger than any kernel's.
 */
int tracefs_read_file(const char *path, struct strbuf *text);

/* Append the event's format file. */
int tracefs_event_format(const struct tracefs *t, const char *system, const char *name,
			 struct strbuf *format, struct error *err);

/* Append the file events/<name>, such as header_page. */
int tracefs_header_file(const struct tracefs *t, const char *name, struct strbuf *text,
			struct error *err);

/*
 * Call fn for each event whose "system:name" matches the two globs, sorted by name. A non-zero
 * return stops it and is returned. Returns -ENOENT, with an explanation, if nothing matches.
 */
typedef int (*tracefs_event_fn)(void *ctx, const char *system, const char *name, struct error *err);
int tracefs_for_each_event(const struct tracefs *t, const char *system_glob, const char *name_glob,
			   tracefs_event_fn fn, void *ctx, struct error *err);

/*
 * Find the offset and size of a field in the text of a format file. Returns false if there is no
 * such field.
 */
bool tracefs_format_field(const char *format, const char *field, uint32_t *ret_offset,
			  uint32_t *ret_size);

#endif
