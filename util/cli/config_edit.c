// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/config_edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/out_file.h"
#include "util/cli/config.h"

static void add_value(struct strbuf *out, const char *value)
{
	bool quote = !*value || value[0] == ' ' || value[0] == '\t' ||
		     strpbrk(value, "#;\"\\\n\t\b\r") || value[strlen(value) - 1] == ' ';

	if (quote)
		strbuf_addch(out, '"');
	for (; *value; value++) {
		switch (*value) {
		case '\n':
			strbuf_addstr(out, "\\n");
			break;
		case '\t':
			strbuf_addstr(out, "\\t");
			break;
		case '\b':
			strbuf_addstr(out, "\\b");
			break;
		case '"':
		case '\\':
			strbuf_addch(out, '\\');
			strbuf_addch(out, *value);
			break;
		default:
			strbuf_addch(out, *value);
		}
	}
	if (quote)
		strbuf_addch(out, '"');
}

/* Append the [section] or [section "Sub"] of a canonical key. */
static void add_section(struct strbuf *out, const char *key, size_t section_len)
{
	size_t name = strcspn(key, ".");

	strbuf_addch(out, '[');
	strbuf_add(out, key, name);
	if (name < section_len) {
		strbuf_addstr(out, " \"");
		for (const char *p = key + name + 1; p < key + section_len; p++) {
			if (*p == '"' || *p == '\\')
				strbuf_addch(out, '\\');
			strbuf_addch(out, *p);
		}
		strbuf_addch(out, '"');
	}
	strbuf_addstr(out, "]\n");
}

/* Check that the new text sets the key to the value. */
static int check(const char *path, const struct strbuf *text, const char *key, const char *value,
		 struct error *err)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	const struct config_entry *entry;
	int ret;

	if (text->failed)
		return error_nomem(err);
	ret = config_parse(&cfg, path, text->buf, text->len, err);
	if (ret)
		return ret;
	entry = config_get(&cfg, key);
	if (!entry || strcmp(entry->value, value))
		return error_set(err, EINVAL, "cannot write %s as '%.200s' into '%s'", key, value,
				 path);
	return 0;
}

int config_edit(const char *path, const char *buf, size_t len, const char *key, const char *value,
		struct strbuf *out, struct error *err)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	_cleanup_free_ char *canonical = NULL;
	const struct config_entry *same = NULL, *sibling = NULL;
	size_t section_len;
	int ret;

	ret = config_key_canonical(key, &canonical, err);
	if (!ret)
		ret = config_parse(&cfg, path, buf, len, err);
	if (ret)
		return ret;
	section_len = (size_t)(strrchr(canonical, '.') - canonical);
	same = config_get(&cfg, canonical);
	for (size_t i = 0; i < cfg.nr; i++) {
		const char *dot = strrchr(cfg.entries[i].key, '.');

		if ((size_t)(dot - cfg.entries[i].key) == section_len &&
		    !strncmp(cfg.entries[i].key, canonical, section_len))
			sibling = &cfg.entries[i];
	}
	if (same) {
		strbuf_add(out, buf, same->offset);
		strbuf_addf(out, "%s = ", canonical + section_len + 1);
		add_value(out, value);
		strbuf_add(out, buf + same->value_end, len - same->value_end);
	} else if (sibling) {
		strbuf_add(out, buf, sibling->end);
		strbuf_addf(out, "\n\t%s = ", canonical + section_len + 1);
		add_value(out, value);
		strbuf_add(out, buf + sibling->end, len - sibling->end);
	} else {
		strbuf_add(out, buf, len);
		/* the last line is continued: without newline, or with a backslash before it */
		if ((len && buf[len - 1] != '\n') || (cfg.nr && cfg.entries[cfg.nr - 1].end == len))
			strbuf_addch(out, '\n');
		add_section(out, canonical, section_len);
		strbuf_addf(out, "\t%s = ", canonical + section_len + 1);
		add_value(out, value);
	}
	if (out->len && out->buf[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	return check(path, out, canonical, value, err);
}

/* Replace the file, keeping the old one's mode and owner. */
static int replace(const char *path, const struct stat *old, const struct strbuf *text,
		   struct error *err)
{
	_cleanup_(out_file_deinit) struct out_file file = OUT_FILE_INIT;
	int ret = out_file_open(&file, path, NULL, err);

	if (ret)
		return ret;
	ret = out_file_append(&file, text->buf, text->len);
	if (!ret && fchmod(file.fd, old ? old->st_mode & 0777 : 0644))
		ret = -errno;
	/* if root edits another user's file, it keeps its owner; other users cannot do this */
	if (!ret && old && !geteuid() && fchown(file.fd, old->st_uid, old->st_gid))
		ret = -errno;
	if (!ret && fsync(file.fd))
		ret = -errno;
	if (ret)
		return error_set_errno(err, -ret, "cannot write '%s'", path);
	return out_file_publish(&file, err);
}

/* Edit the text, in place, for one setting after the other. */
static int edit_all(const char *path, const struct config_setting *settings, size_t nr,
		    struct strbuf *text, struct error *err)
{
	for (size_t i = 0; i < nr; i++) {
		struct strbuf next = STRBUF_INIT;
		int ret = config_edit(path, text->buf, text->len, settings[i].key,
				      settings[i].value, &next, err);

		strbuf_deinit(text);
		*text = next;
		if (ret)
			return ret;
	}
	return 0;
}

int config_set_all(const char *path, const struct config_setting *settings, size_t nr,
		   struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *real = realpath(path, NULL);
	struct stat st;
	int ret;

	/* a dangling symbolic link would be replaced */
	if (!real && (errno != ENOENT || !lstat(path, &st)))
		return error_set_errno(err, errno, "cannot open '%s'", path);
	if (real) {
		if (stat(real, &st))
			return error_set_errno(err, errno, "cannot open '%s'", path);
		if (!S_ISREG(st.st_mode) || st.st_size > CONFIG_FILE_MAX)
			return error_set(err, EINVAL, "'%s' is not a configuration file", path);
		ret = strbuf_read_file(&text, real);
		if (ret)
			return error_set_errno(err, -ret, "cannot read '%s'", path);
	}
	ret = edit_all(path, settings, nr, &text, err);
	if (ret)
		return ret;
	return replace(real ? real : path, real ? &st : NULL, &text, err);
}

int config_set(const char *path, const char *key, const char *value, struct error *err)
{
	return config_set_all(path, &(struct config_setting){key, value}, 1, err);
}
