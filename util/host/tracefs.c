// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/host/mounts.h"
#include "util/host/running_kernel.h"

/* Limit for a copy's files, whose size the kernel reports as 0. The largest text, with all symbols,
 * has some 20 MB. */
#define TEXT_BYTES_MAX (256 << 20)

#define NEED_RIGHTS "run as root, or with CAP_PERFMON and read access to it"

/* The kernel provides this mount point for it (since 4.1). */
#define MOUNT_POINT "/sys/kernel/tracing"

static bool mount_it(struct tracefs *t)
{
	if (mount("tracefs", MOUNT_POINT, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
		log_info("cannot mount tracefs on '" MOUNT_POINT "': %s", strerror(errno));
		return false;
	}
	snprintf(t->path, sizeof(t->path), "%s", MOUNT_POINT);
	t->mounted = true;
	return true;
}

int tracefs_find(struct tracefs *t, bool may_mount, struct error *err)
{
	_cleanup_free_ char *events = NULL;

	t->mounted = false;
	if (!mounts_find("tracefs", NULL, "", t->path) &&
	    !mounts_find("debugfs", NULL, "/tracing", t->path)) {
		if (access(MOUNT_POINT, F_OK))
			return error_set(err, ENODEV,
					 "this kernel cannot trace: it was built without "
					 "CONFIG_FTRACE and CONFIG_EVENT_TRACING");
		if (!may_mount || !mount_it(t))
			return error_set(err, ENODEV,
					 "tracefs is not mounted; as root: "
					 "mount -t tracefs nodev " MOUNT_POINT);
	}
	if (asprintf(&events, "%s/events", t->path) < 0) {
		events = NULL;
		return error_nomem(err);
	}
	/* The effective user opens the files; access() would check the real one. */
	if (faccessat(AT_FDCWD, events, R_OK | X_OK, AT_EACCESS)) {
		if (errno == ENOENT)
			return error_set(err, ENODEV,
					 "'%s' has no events: the kernel was built without "
					 "CONFIG_EVENT_TRACING",
					 t->path);
		return error_set(err, errno,
				 "no permission to trace: cannot read '%s': %s; " NEED_RIGHTS,
				 t->path, strerror(errno));
	}
	return 0;
}

int tracefs_at(struct tracefs *t, const char *path, struct error *err)
{
	t->mounted = false;
	if (snprintf(t->path, sizeof(t->path), "%s", path) >= (int)sizeof(t->path))
		return error_set(err, ENAMETOOLONG, "the path '%.64s...' is too long", path);
	return 0;
}

int tracefs_read_file(const char *path, struct strbuf *text)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return st.st_size > TEXT_BYTES_MAX ? -EFBIG : strbuf_read_file(text, path);
}

static int read_text(const char *path, struct strbuf *text, struct error *err)
{
	int ret = tracefs_read_file(path, text);

	if (ret == -EPERM && running_kernel_is_confidential(LOCKDOWN_PATH))
		return error_set(err, EPERM,
				 "no permission to trace: cannot read '%s': the kernel is locked "
				 "down for confidentiality",
				 path);
	if (ret == -EACCES || ret == -EPERM)
		return error_set(err, -ret,
				 "no permission to trace: cannot read '%s': %s; " NEED_RIGHTS, path,
				 strerror(-ret));
	return ret ? error_set_errno(err, -ret, "cannot read '%s'", path) : 0;
}

static int read_event_file(const struct tracefs *t, const char *system, const char *name,
			   const char *file, struct strbuf *text, struct error *err)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/events/%s/%s/%s", t->path, system, name, file) < 0) {
		path = NULL;
		return error_nomem(err);
	}
	return read_text(path, text, err);
}

int tracefs_event_format(const struct tracefs *t, const char *system, const char *name,
			 struct strbuf *format, struct error *err)
{
	return read_event_file(t, system, name, "format", format, err);
}

int tracefs_header_file(const struct tracefs *t, const char *name, struct strbuf *text,
			struct error *err)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/events/%s", t->path, name) < 0) {
		path = NULL;
		return error_nomem(err);
	}
	return read_text(path, text, err);
}

/* Set the error for a missing event: either its system or the event is missing. It lists the
 * existing ones. */
static int explain_missing(const struct tracefs *t, const char *system, const char *name,
			   struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf dir = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf have = STRBUF_INIT;
	struct dirent *e;
	int nr = 0;
	DIR *d;

	strbuf_addf(&dir, "%s/events/%s", t->path, system);
	d = dir.failed ? NULL : opendir(dir.buf);
	if (!d)
		return error_set(err, ENOENT,
				 "this kernel has no '%s' events (looked in '%s/events'): it needs "
				 "CONFIG_TRACEPOINTS and CONFIG_EVENT_TRACING%s",
				 system, t->path,
				 strcmp(system, "kmem") ? ", and the subsystem that emits them"
							: "");
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || e->d_type != DT_DIR || have.len > 400)
			continue;
		strbuf_addf(&have, "%s%s", nr++ ? ", " : "", e->d_name);
	}
	closedir(d);
	return error_set(err, ENOENT, "this kernel has no event '%s:%s'; '%s' has: %s", system,
			 name, dir.buf, have.buf);
}

int tracefs_event_id(const struct tracefs *t, const char *system, const char *name,
		     uint64_t *ret_id, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	char *end;
	unsigned long long id;
	int ret = read_event_file(t, system, name, "id", &text, err);

	if (ret == -ENOENT)
		return explain_missing(t, system, name, err);
	if (ret)
		return ret;
	errno = 0;
	id = strtoull(text.buf, &end, 10);
	if (errno || end == text.buf)
		return error_set(err, EINVAL, "'%s/events/%s/%s/id' is not a number", t->path,
				 system, name);
	*ret_id = id;
	return 0;
}

static int only_dirs(const struct dirent *e)
{
	return e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN);
}

static void free_names(struct dirent **names, int nr)
{
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

static int for_each_in_system(const struct tracefs *t, const char *system, const char *name_glob,
			      tracefs_event_fn fn, void *ctx, int *nr_matched, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf dir = STRBUF_INIT;
	struct dirent **names;
	int nr, ret = 0;

	if (strbuf_addf(&dir, "%s/events/%s", t->path, system))
		return error_nomem(err);
	nr = scandir(dir.buf, &names, only_dirs, alphasort);
	if (nr < 0)
		return error_set_errno(err, errno, "cannot read '%s'", dir.buf);
	for (int i = 0; i < nr && !ret; i++) {
		if (fnmatch(name_glob, names[i]->d_name, 0))
			continue;
		(*nr_matched)++;
		ret = fn(ctx, system, names[i]->d_name, err);
	}
	free_names(names, nr);
	return ret;
}

int tracefs_for_each_event(const struct tracefs *t, const char *system_glob, const char *name_glob,
			   tracefs_event_fn fn, void *ctx, struct error *err)
{
	_cleanup_free_ char *events = NULL;
	struct dirent **systems;
	int nr, ret = 0, nr_matched = 0;

	if (asprintf(&events, "%s/events", t->path) < 0) {
		events = NULL;
		return error_nomem(err);
	}
	nr = scandir(events, &systems, only_dirs, alphasort);
	if (nr < 0)
		return error_set_errno(err, errno, "cannot read '%s'", events);
	for (int i = 0; i < nr && !ret; i++)
		if (!fnmatch(system_glob, systems[i]->d_name, 0))
			ret = for_each_in_system(t, systems[i]->d_name, name_glob, fn, ctx,
						 &nr_matched, err);
	free_names(systems, nr);
	if (!ret && !nr_matched)
		ret = explain_missing(t, system_glob, name_glob, err);
	return ret;
}

bool tracefs_format_field(const char *format, const char *field, uint32_t *ret_offset,
			  uint32_t *ret_size)
{
	size_t len = strlen(field);

	/* Lines look like "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;" */
	for (const char *line = format; line; line = strchr(line, '\n')) {
		const char *semi, *name;
		unsigned int offset, size;

		line += strspn(line, "\n\t ");
		if (strncmp(line, "field:", 6)) {
			if (!*line)
				break;
			continue;
		}
		semi = strpbrk(line, ";\n");
		if (!semi || *semi != ';' || (size_t)(semi - line) < 6 + len + 1)
			continue;
		name = semi - len;
		if (strncmp(name, field, len) || (name[-1] != ' ' && name[-1] != '*'))
			continue;
		if (sscanf(semi, "; offset:%u; size:%u;", &offset, &size) != 2)
			continue;
		*ret_offset = offset;
		*ret_size = size;
		return true;
	}
	return false;
}
