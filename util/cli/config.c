// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/units.h"

void config_deinit(struct config *cfg)
{
	for (size_t i = 0; i < cfg->nr; i++) {
		free(cfg->entries[i].key);
		free(cfg->entries[i].value);
	}
	for (size_t i = 0; i < cfg->nr_paths; i++)
		free(cfg->paths[i]);
	free(cfg->entries);
	free(cfg->paths);
	memset(cfg, 0, sizeof(*cfg));
}

static bool is_trusted(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

/* Another user's link could make us read any file. opened: the file that it led to. */
static int check_link(const char *path, const struct stat *opened, struct error *err)
{
	struct stat st;

	if (lstat(path, &st))
		return error_set_errno(err, errno, "cannot stat the configuration file '%s'", path);
	if (S_ISLNK(st.st_mode) ? is_trusted(&st)
				: st.st_dev == opened->st_dev && st.st_ino == opened->st_ino)
		return 0;
	return error_set(err, EPERM,
			 "the configuration file '%s' is a link that is neither yours nor root's",
			 path);
}

/* Its settings affect the user who runs us: it must belong to this user, or to root. */
static int check_owner(int fd, const char *path, struct stat *ret_stat, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_set_errno(err, errno, "cannot stat the configuration file '%s'", path);
	*ret_stat = st;
	if (!is_trusted(&st))
		return error_set(err, EPERM,
				 "the configuration file '%s' is neither yours nor root's", path);
	if (S_ISREG(st.st_mode) && st.st_mode & S_IWOTH)
		return error_set(err, EPERM,
				 "anybody may write to the configuration file '%s' (chmod o-w)",
				 path);
	return check_link(path, &st, err);
}

/* Settings from a device, such as /dev/null, or from a pipe were requested explicitly. */
static int load_file(struct config *cfg, const char *path, bool may_wait, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	/* a FIFO does not block here */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int ret;

	if (fd < 0)
		return error_set_errno(err, errno, "cannot open the configuration file '%s'", path);
	ret = check_owner(fd, path, &st, err);
	if (ret)
		return ret;
	if (may_wait)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		return error_set(err, EPERM, "the configuration file '%s' is not a regular file",
				 path);
	/* one byte more than the limit, because a device may never end */
	ret = strbuf_read_max(&sb, fd, CONFIG_FILE_MAX + 1);
	if (ret)
		return error_set_errno(err, -ret, "cannot read the configuration file '%s'", path);
	return config_parse(cfg, path, sb.buf, sb.len, err);
}

int config_load_file(struct config *cfg, const char *path, struct error *err)
{
	return load_file(cfg, path, true, err);
}

/*
 * Load a file that need not exist. A file that cannot be looked up does not exist for this user:
 * with another user's HOME (sudo, setpriv) the directory may be inaccessible. A file of another
 * user is ignored with a warning; stock ignores it, too.
 */
static int load_optional(struct config *cfg, const char *path, struct error *err)
{
	struct error why = ERROR_INIT;
	struct stat st;
	int ret;

	if (stat(path, &st) && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return 0;
	ret = load_file(cfg, path, false, &why);
	if (ret == -EPERM) {
		log_warn("%s: it is ignored", why.msg);
		return 0;
	}
	if (ret && err)
		*err = why;
	return ret;
}

int config_load(struct config *cfg, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	const char *only = getenv("PERF_CONFIG");
	const char *home = getenv("HOME");
	int ret;

	if (only && *only) {
		ret = config_load_file(cfg, only, err);
		if (ret == -ENOENT || ret == -EACCES)
			error_prefix(err, "PERF_CONFIG");
		return ret;
	}
	ret = load_optional(cfg, CONFIG_SYSTEM_PATH, err);
	if (ret || !home || !*home)
		return ret;
	if (strbuf_addf(&path, "%s/.perfconfig", home))
		return error_nomem(err);
	return load_optional(cfg, path.buf, err);
}

int config_user_path(struct strbuf *path, struct error *err)
{
	const char *only = getenv("PERF_CONFIG");
	const char *home = getenv("HOME");
	int ret;

	if (only && *only)
		ret = strbuf_addstr(path, only);
	else if (home && *home)
		ret = strbuf_addf(path, "%s/.perfconfig", home);
	else
		return error_set(err, ENOENT, "HOME is not set, so there is no ~/.perfconfig");
	return ret ? error_nomem(err) : 0;
}

/* Section and key ignore case; the text between the first and last dot does not. */
static bool same_key(const char *a, const char *b)
{
	size_t len = strlen(a), section = strcspn(a, ".");
	const char *name = strrchr(a, '.');

	if (strlen(b) != len || strncasecmp(a, b, section))
		return false;
	if (!name)
		return true;
	return !strncmp(a + section, b + section, (size_t)(name - a) - section) &&
	       !strcasecmp(name, b + (name - a));
}

const struct config_entry *config_get(const struct config *cfg, const char *key)
{
	for (size_t i = cfg->nr; i-- > 0;) {
		if (same_key(cfg->entries[i].key, key))
			return &cfg->entries[i];
	}
	return NULL;
}

int config_bad_value(const struct config_entry *entry, const char *want, struct error *err)
{
	error_set(err, EINVAL, "%s is '%.200s', want %s", entry->key, entry->value, want);
	return entry->path ? error_prefix(err, "%s:%u", entry->path, entry->line) : -EINVAL;
}

int config_entry_u64(const struct config_entry *entry, uint64_t min, uint64_t max, uint64_t *ret,
		     struct error *err)
{
	char want[96] = "a number";

	if (!units_parse_u64_bounded(entry->value, min, max, ret))
		return 0;
	if (max != UINT64_MAX)
		snprintf(want, sizeof(want), "a number from %" PRIu64 " to %" PRIu64, min, max);
	else if (min)
		snprintf(want, sizeof(want), "a number of at least %" PRIu64, min);
	return config_bad_value(entry, want, err);
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static void lower(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] - 'A' + 'a');
	}
}

int config_key_canonical(const char *key, char **ret_key, struct error *err)
{
	size_t section = strcspn(key, ".");
	const char *dot = strrchr(key, '.');
	_cleanup_free_ char *copy = strdup(key);
	const char *name;
	bool good;

	if (!copy)
		return error_nomem(err);
	if (!dot || !section || !dot[1])
		return error_set(err, EINVAL,
				 "'%.200s' is not a key, want section.name such as "
				 "kmem.default",
				 key);
	name = copy + (dot - key) + 1;
	lower(copy, section);
	lower(copy + (dot - key), strlen(dot));
	good = *name >= 'a' && *name <= 'z';
	for (size_t i = 0; i < section; i++)
		good = good && is_key_char(copy[i]);
	for (const char *p = name; *p; p++)
		good = good && is_key_char(*p);
	if (!good || strchr(key, '\n'))
		return error_set(
			err, EINVAL,
			"'%.200s' is not a key: letters, digits, - and _ only, and the name "
			"begins with a letter",
			key);
	*ret_key = steal_ptr(&copy);
	return 0;
}
