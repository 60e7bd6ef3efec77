// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/machine/cgroup_parts.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The id of a container has these digits (OCI engines), and the UID of a pod these characters. */
enum { ID_DIGITS = 64, UID_CHARS = 36 };

struct span {
	const char *text;
	size_t len;
};

static bool cut_suffix(struct span *s, const char *suffix)
{
	size_t len = strlen(suffix);

	if (s->len <= len || memcmp(s->text + s->len - len, suffix, len) != 0)
		return false;
	s->len -= len;
	return true;
}

static bool cut_prefix(struct span *s, const char *prefix)
{
	size_t len = strlen(prefix);

	if (s->len <= len || memcmp(s->text, prefix, len) != 0)
		return false;
	s->text += len;
	s->len -= len;
	return true;
}

static bool all_hex(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

/* Keep the first characters of an id that ends the component, alone or after '-' or '_'. */
static bool cut_to_id(struct span *s)
{
	size_t before = s->len - ID_DIGITS;

	if (s->len < ID_DIGITS || !all_hex(s->text + before, ID_DIGITS) ||
	    (before && s->text[before - 1] != '-' && s->text[before - 1] != '_'))
		return false;
	*s = (struct span){s->text + before, CGROUP_ID_CHARS};
	return true;
}

/* 8-4-4-4-12 digits, with '-' or '_' between them: systemd's slices have no '-' in a name. */
static bool is_uid(const char *text)
{
	for (size_t i = 0; i < UID_CHARS; i++) {
		bool separator = i == 8 || i == 13 || i == 18 || i == 23;

		if (separator ? text[i] != '-' && text[i] != '_'
			      : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

/* Keep a UID that ends the component after "pod". That of a static pod is 32 digits alone. */
static bool cut_to_uid(struct span *s)
{
	static const size_t lengths[] = {UID_CHARS, 32};

	for (size_t i = 0; i < 2; i++) {
		size_t before = s->len - lengths[i];
		const char *uid = s->text + before;

		if (s->len < lengths[i] + 3 || memcmp(uid - 3, "pod", 3) != 0 ||
		    !(i ? all_hex(uid, lengths[i]) : is_uid(uid)))
			continue;
		*s = (struct span){uid, lengths[i]};
		return true;
	}
	return false;
}

static bool find_container(struct span *s)
{
	if (cut_prefix(s, "lxc.payload."))
		return true;
	if (cut_prefix(s, "systemd-nspawn@"))
		return cut_suffix(s, ".service");
	cut_suffix(s, ".scope");
	return cut_to_id(s);
}

static bool find_pod(struct span *s)
{
	bool is_slice = cut_suffix(s, ".slice");

	if (cut_to_uid(s))
		return true;
	return is_slice && memmem(s->text, s->len, "libpod_pod_", 11) && cut_to_id(s);
}

static bool find_unit(struct span *s)
{
	static const char *const suffixes[] = {".service", ".scope", ".slice",
					       ".socket",  ".mount", ".swap"};
	struct span name = *s;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (cut_suffix(&name, suffixes[i]))
			return true;
	return false;
}

size_t cgroup_part_name(const char *path, enum cgroup_part part, char name[CGROUP_PART_MAX])
{
	static bool (*const find[CGROUP_PARTS])(struct span *) = {
		[CGROUP_CONTAINER] = find_container,
		[CGROUP_POD] = find_pod,
		[CGROUP_UNIT] = find_unit,
	};
	const char *end = path + strlen(path);

	assert(find[part]);
	while (end > path) {
		const char *begin = memrchr(path, '/', (size_t)(end - path));
		struct span s = {begin ? begin + 1 : path, 0};

		s.len = (size_t)(end - s.text);
		end = begin ? begin : path;
		if (s.len >= CGROUP_PART_MAX || !find[part](&s))
			continue;
		memcpy(name, s.text, s.len);
		name[s.len] = '\0';
		for (char *c = name; part == CGROUP_POD && *c; c++)
			if (*c == '_')
				*c = '-';
		return s.len;
	}
	name[0] = '\0';
	return 0;
}
