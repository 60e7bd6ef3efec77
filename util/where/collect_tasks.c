// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/collect_tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/where/holders.h"
#include "util/where/scan.h"

/* The time is looked at once in this number of descriptors. */
#define FILES_A_LOOK 256

/* Limit of the text about one descriptor: an epoll with 100,000 items has 7 MB. */
#define FDINFO_MAX (8u << 20)

struct seen_file {
	uint64_t key[2]; /* device and inode */
};

struct tasks {
	const char *root;
	uint64_t deadline_ns;
	struct table *owners;
	struct strbuf *sb;
	struct strbuf text;		  /* of a small file */
	struct table files;		  /* struct seen_file: files without a name */
	struct table namespaces, devices; /* keys of 8 bytes: mount namespaces, their tmpfs */
	int64_t nr_late, nr_denied;
};

/* Returns 1 if the key is new, 0, or -ENOMEM. */
static int is_new(struct table *t, const void *key)
{
	if (table_find(t, key))
		return 0;
	return table_insert(t, key) ? 1 : -ENOMEM;
}

/* ---- small files ----------------------------------------------------------------------------- */

/* Read a file below /proc into t->text. Returns 0 or -errno. */
static int read_file(struct tasks *t, size_t max, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	strbuf_reset(&t->text);
	return fd < 0 ? -errno : strbuf_read_max(&t->text, fd, max);
}

/* The number of lines that begin like this. */
static int64_t count_lines(const struct strbuf *text, const char *begin)
{
	const size_t len = strlen(begin);
	int64_t nr = 0;

	for (const char *p = text->buf; p && *p; p = strchr(p, '\n'), p += p != NULL)
		nr += !strncmp(p, begin, len);
	return nr;
}

/* The bytes of a line "VmPTE:       44 kB". */
static bool status_value(const char *line, const char *key, int64_t unit, int64_t *to)
{
	const char *at = line + strlen(key);
	int64_t value;

	if (strncmp(line, key, strlen(key)) != 0 || !scan_number(&at, &value))
		return false;
	*to = value * unit;
	return true;
}

/* Returns 0, or -errno; -ESRCH for a kernel thread. */
static int read_status(struct tasks *t, const char *pid, struct holder *p, char name[64])
{
	char path[PATH_MAX];
	struct scan s;
	int ret;

	snprintf(path, sizeof(path), "%s/proc/%s/status", t->root, pid);
	ret = read_file(t, 16384, path);
	if (ret)
		return ret;
	name[0] = '\0';
	scan_init(&s, t->text.buf, t->text.len);
	while (scan_next(&s)) {
		bool known = status_value(s.line, "Threads:", 1, &p->v[HOLDER_NR_threads]) ||
			     status_value(s.line, "VmPTE:", 1024, &p->v[HOLDER_NR_page_tables]) ||
			     status_value(s.line, "RssAnon:", 1024, &p->v[HOLDER_NR_anon]) ||
			     status_value(s.line, "RssShmem:", 1024, &p->v[HOLDER_NR_shmem]);

		if (!known && !strncmp(s.line, "Name:\t", 6))
			snprintf(name, 64, "%.63s", s.line + 6);
	}
	return p->v[HOLDER_NR_page_tables] ? 0 : -ESRCH;
}

/* ---- file systems in memory ------------------------------------------------------------------ */

/* "\040" is a blank. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *p = path; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] && p[3]) {
			*to = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

static int add_mount(struct tasks *t, const char *pid, uint64_t dev, const char *where)
{
	struct holder h = {.kind = HOLDER_tmpfs};
	char path[PATH_MAX], name[PATH_MAX];
	struct statfs fs;
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%s/root%s", t->root, pid, where);
	/* another file system may be mounted over it */
	if (table_find(&t->devices, &dev) || stat(path, &st) || st.st_dev != dev ||
	    statfs(path, &fs) || fs.f_type != TMPFS_MAGIC)
		return 0;
	if (!table_insert(&t->devices, &dev))
		return -ENOMEM;
	if (fs.f_blocks > fs.f_bfree)
		h.v[HOLDER_NR_bytes] =
			(int64_t)((uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize);
	if (!h.v[HOLDER_NR_bytes])
		return 0;
	snprintf(name, sizeof(name), "%s", where);
	h.v[HOLDER_NR_pid] = strtoll(pid, NULL, 10); /* "self": 0 */
	h.name = name;
	holder_write(t->sb, &h);
	return 0;
}

/* "36 35 0:32 /root /mnt rw,noatime master:1 - tmpfs tmpfs rw" */
static int take_mount(struct tasks *t, const char *pid, char *line)
{
	unsigned int major, minor;
	const char *type = strstr(line, " - ");
	int start = 0, end = 0;

	if (!type || sscanf(line, "%*u %*u %u:%u %*s %n%*s%n", &major, &minor, &start, &end) != 2 ||
	    !end || (strncmp(type, " - tmpfs ", 9) != 0 && strncmp(type, " - devtmpfs ", 12) != 0))
		return 0;
	line[end] = '\0';
	unescape(line + start);
	return add_mount(t, pid, makedev(major, minor), line + start);
}

/* Those that a process sees, unless another one with the same view was examined. */
static int add_mounts(struct tasks *t, const char *pid)
{
	char path[PATH_MAX];
	struct scan s;
	struct stat st;
	uint64_t namespace;
	int ret;

	snprintf(path, sizeof(path), "%s/proc/%s/ns/mnt", t->root, pid);
	if (stat(path, &st))
		return 0;
	namespace = st.st_ino;
	ret = is_new(&t->namespaces, &namespace);
	if (ret <= 0)
		return ret;
	snprintf(path, sizeof(path), "%s/proc/%s/mountinfo", t->root, pid);
	if (read_file(t, FDINFO_MAX, path))
		return 0;
	ret = 0;
	scan_init(&s, t->text.buf, t->text.len);
	while (!ret && scan_next(&s))
		ret = take_mount(t, pid, s.line);
	return ret;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* A file in memory whose name was removed, or that never had one (memfd). */
static int add_deleted(struct tasks *t, const struct holder *process, const char *path, char *link)
{
	struct holder h = {.kind = HOLDER_deleted, .name = link};
	struct seen_file file;
	struct statfs fs;
	struct stat st;
	int ret;

	if (statfs(path, &fs) || fs.f_type != TMPFS_MAGIC || stat(path, &st) ||
	    !S_ISREG(st.st_mode))
		return 0;
	file = (struct seen_file){{st.st_dev, st.st_ino}};
	ret = is_new(&t->files, &file);
	if (ret <= 0 || st.st_blocks <= 0)
		return ret < 0 ? ret : 0;
	link[strlen(link) - strlen(" (deleted)")] = '\0';
	h.v[HOLDER_NR_bytes] = (int64_t)st.st_blocks * 512;
	h.v[HOLDER_NR_pid] = process->v[HOLDER_NR_pid];
	holder_write(t->sb, &h);
	return 0;
}

static int add_bpf(struct tasks *t, const struct holder *process, bool is_prog)
{
	const char *key = is_prog ? "\nprog_id:" : "\nmap_id:";
	const char *at = strstr(t->text.buf, key);
	struct bpf_owner *owner;
	uint64_t number;
	int64_t id;

	if (!at)
		return 0;
	at += strlen(key);
	if (!scan_number(&at, &id))
		return 0;
	number = bpf_owner_key(is_prog, (uint64_t)id);
	owner = table_insert(t->owners, &number);
	if (!owner)
		return -ENOMEM;
	if (!owner->pid)
		owner->pid = (uint64_t)process->v[HOLDER_NR_pid];
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_deleted(const char *link)
{
	const size_t len = strlen(link), suffix = strlen(" (deleted)");

	return *link == '/' && len > suffix && !strcmp(link + len - suffix, " (deleted)");
}

static int take_file(struct tasks *t, const char *pid, const char *fd, char *link, struct holder *p)
{
	char path[PATH_MAX];

	p->v[HOLDER_NR_files]++;
	if (begins(link, "socket:")) {
		p->v[HOLDER_NR_sockets]++;
	} else if (begins(link, "pipe:")) {
		p->v[HOLDER_NR_pipes]++;
	} else if (begins(link, "anon_inode:[timerfd]")) {
		p->v[HOLDER_NR_timers]++;
	} else if (is_deleted(link)) {
		snprintf(path, sizeof(path), "%s/proc/%s/fd/%s", t->root, pid, fd);
		return add_deleted(t, p, path, link);
	} else if (begins(link, "anon_inode:")) {
		snprintf(path, sizeof(path), "%s/proc/%s/fdinfo/%s", t->root, pid, fd);
		if (begins(link, "anon_inode:[eventpoll]") && !read_file(t, FDINFO_MAX, path))
			p->v[HOLDER_NR_epoll_items] += count_lines(&t->text, "tfd:");
		else if (strstr(link, "inotify") && !read_file(t, FDINFO_MAX, path))
			p->v[HOLDER_NR_inotify_watches] += count_lines(&t->text, "inotify wd:");
		else if (strstr(link, "bpf-map") && !read_file(t, 4096, path))
			return add_bpf(t, p, false);
		else if (strstr(link, "bpf-prog") && !read_file(t, 4096, path))
			return add_bpf(t, p, true);
	}
	return 0;
}

static bool is_late(const struct tasks *t)
{
	return now_ns() > t->deadline_ns;
}

static int take_files(struct tasks *t, const char *pid, struct holder *p)
{
	char path[PATH_MAX], link[PATH_MAX];
	unsigned int nr = 0;
	struct dirent *e;
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/proc/%s/fd", t->root, pid);
	dir = opendir(path);
	if (!dir) {
		t->nr_denied += errno == EACCES || errno == EPERM;
		return errno == ENOMEM ? -ENOMEM : 0;
	}
	while (!ret && (e = readdir(dir))) {
		ssize_t len = *e->d_name == '.'
				      ? -1
				      : readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);

		if (len < 0)
			continue;
		link[len] = '\0';
		ret = take_file(t, pid, e->d_name, link, p);
		if (++nr % FILES_A_LOOK == 0 && is_late(t)) {
			p->v[HOLDER_NR_late] = 1;
			t->nr_late++;
			break;
		}
	}
	closedir(dir);
	return ret;
}

/* ---- processes ------------------------------------------------------------------------------- */

static int take_process(struct tasks *t, const char *pid)
{
	struct holder p = {.kind = HOLDER_process};
	char path[PATH_MAX], name[64];
	int ret = read_status(t, pid, &p, name);

	if (ret)
		return ret == -ENOMEM ? ret : 0; /* it ended, or is a kernel thread */
	p.v[HOLDER_NR_pid] = strtoll(pid, NULL, 10);
	p.name = name;
	ret = add_mounts(t, pid);
	if (!ret)
		ret = take_files(t, pid, &p);
	snprintf(path, sizeof(path), "%s/proc/%s/timers", t->root, pid);
	if (!ret && !read_file(t, FDINFO_MAX, path))
		p.v[HOLDER_NR_timers] += count_lines(&t->text, "ID:");
	holder_write(t->sb, &p);
	return ret;
}

static int take_all(struct tasks *t, DIR *dir)
{
	struct dirent *e;
	int ret = 0;

	while (!ret && (e = readdir(dir))) {
		if (*e->d_name < '1' || *e->d_name > '9')
			continue;
		if (is_late(t))
			t->nr_late++;
		else
			ret = take_process(t, e->d_name);
	}
	return ret;
}

static void write_skipped(const struct tasks *t)
{
	struct holder h = {.kind = HOLDER_skipped};

	h.v[HOLDER_NR_late] = t->nr_late;
	h.v[HOLDER_NR_denied] = t->nr_denied;
	if (t->nr_late || t->nr_denied)
		holder_write(t->sb, &h);
}

int collect_tasks(const char *root, uint64_t deadline_ns, struct table *owners, struct strbuf *sb)
{
	struct tasks t = {.root = root,
			  .deadline_ns = deadline_ns,
			  .owners = owners,
			  .sb = sb,
			  .text = STRBUF_INIT};
	char path[PATH_MAX];
	DIR *dir;
	int ret;

	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	if (!dir)
		return 0;
	table_init(&t.files, sizeof(struct seen_file), sizeof(struct seen_file));
	table_init(&t.namespaces, sizeof(uint64_t), sizeof(uint64_t));
	table_init(&t.devices, sizeof(uint64_t), sizeof(uint64_t));
	/* our own view of the file systems has the names that the user knows */
	ret = add_mounts(&t, "self");
	if (!ret)
		ret = take_all(&t, dir);
	write_skipped(&t);
	closedir(dir);
	table_deinit(&t.files);
	table_deinit(&t.namespaces);
	table_deinit(&t.devices);
	strbuf_deinit(&t.text);
	return ret;
}
