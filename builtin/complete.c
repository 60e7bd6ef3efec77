// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem-config.h"
#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/cli/option_match.h"
#include "util/cli/option_values.h"
#include "util/event/known_events.h"
#include "util/host/cgroup_tree.h"

/* The word that is being typed, in parts: candidates replace only the last one. */
struct typed {
	const char *word; /* the part to complete */
	const char *list; /* the words before it in its list, up to a comma, or NULL */
	const char *name; /* "--format=" of "--format=js", or NULL */
	int list_len, name_len;
};

static void offer(const struct typed *t, const char *candidate, size_t len)
{
	size_t typed = strlen(t->word);

	if (len >= typed && !strncmp(candidate, t->word, typed))
		printf("%.*s%.*s%.*s\n", t->name_len, t->name ? t->name : "", t->list_len,
		       t->list ? t->list : "", (int)len, candidate);
}

static void offer_word(const struct typed *t, const char *candidate)
{
	offer(t, candidate, strlen(candidate));
}

static bool in_list(const struct typed *t, const char *word, size_t len)
{
	for (const char *p = t->list; p && p < t->list + t->list_len;) {
		size_t n = strcspn(p, ",");

		if (n == len && !strncmp(p, word, n))
			return true;
		p += n + 1;
	}
	return false;
}

static void offer_own_values(const struct typed *t, const struct option *opt)
{
	struct option_values v;
	const char *word;
	size_t len;

	option_values_init(&v, opt);
	while (option_values_next(&v, &word, &len))
		if (!in_list(t, word, len))
			offer(t, word, len);
}

/* ---- names that this machine has ---- */

/* Calls fn with the name of each entry of a directory, as far as it can be read. */
static void for_each_entry(const char *path, void (*fn)(const struct typed *t, const char *name),
			   const struct typed *t)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			fn(t, e->d_name);
	if (dir)
		closedir(dir);
}

static void offer_pid(const struct typed *t, const char *name)
{
	if (isdigit((unsigned char)name[0]))
		offer_word(t, name);
}

static void offer_pids(const struct typed *t)
{
	for_each_entry("/proc", offer_pid, t);
}

/* Offers the first word of each line that begins like a name. */
static void offer_first_words(const struct typed *t, const char *path)
{
	_cleanup_free_ char *line = NULL;
	FILE *f = fopen(path, "re");
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		size_t len = strcspn(line, " \t\n");

		if (isalnum((unsigned char)line[0]) || line[0] == '_')
			offer(t, line, len);
	}
	if (f)
		fclose(f);
}

static void offer_comm(const struct typed *t, const char *name)
{
	char path[64];

	if (!isdigit((unsigned char)name[0]))
		return;
	snprintf(path, sizeof(path), "/proc/%.20s/comm", name);
	offer_first_words(t, path);
}

static void offer_comms(const struct typed *t)
{
	for_each_entry("/proc", offer_comm, t);
}

static void offer_caches(const struct typed *t)
{
	offer_first_words(t, "/proc/slabinfo");
}

static void offer_modules(const struct typed *t)
{
	offer_word(t, "kernel");
	offer_first_words(t, "/proc/modules");
}

/* Offers the events of reports; a machine without tracefs has the same. */
static void offer_events(const struct typed *t)
{
	for (size_t i = 0; i < KNOWN_EVENTS; i++)
		offer_word(t, known_events[i].name);
}

/* Offers the control groups in the folder that the typed part names, each relative to the root. */
static void offer_cgroups(const struct typed *t)
{
	const char *slash = strrchr(t->word, '/');
	const int folder_len = slash ? (int)(slash + 1 - t->word) : 0;
	char mount[PATH_MAX], path[2 * PATH_MAX];
	struct dirent *e;
	DIR *dir;

	if (!cgroup_mount_find(mount))
		return;
	snprintf(path, sizeof(path), "%s/%.*s", mount, folder_len, t->word);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.*s%s", folder_len, t->word, e->d_name);
		offer_word(t, path);
	}
	if (dir)
		closedir(dir);
}

static void offer_config_keys(const struct typed *t)
{
	const char *key;

	for (size_t i = 0; (key = kmem_config_key(i)); i++) {
		char word[64];

		snprintf(word, sizeof(word), "%s=", key);
		offer_word(t, word);
	}
}

/* Options by their long names, and the names that they take. */
static const struct {
	const char *option;
	void (*offer)(const struct typed *t);
} named[] = {
	{"pid", offer_pids},	 {"capture-pid", offer_pids}, {"tid", offer_pids},
	{"comm", offer_comms},	 {"cache", offer_caches},     {"module", offer_modules},
	{"event", offer_events}, {"cgroup", offer_cgroups},   {"capture-cgroup", offer_cgroups},
};

/* ---- the command line ---- */

static const struct option *find_long(const struct options *o, const char *word, size_t len,
				      struct option_match *m)
{
	option_match_own(o->table, NULL, word, len, m);
	if (!m->nr && o->subcommands)
		option_match_subcommands(o->subcommands, word, len, m);
	return m->nr == 1 && !m->help && !m->unset ? &m->found.opt : NULL;
}

static bool may_take_next(const struct option *opt)
{
	return !option_takes_no_argument(opt) &&
	       (!(opt->flags & OPTION_OPTARG) || opt->flags & OPTION_NEXT_WORD);
}

/* The option that this word names, and whose argument the next word is; else NULL. */
static const struct option *takes_next(const struct options *o, const char *word,
				       struct option_match *m)
{
	const struct option *opt;

	if (!strncmp(word, "--", 2)) {
		opt = strchr(word, '=') ? NULL : find_long(o, word + 2, strlen(word + 2), m);
		return opt && may_take_next(opt) ? opt : NULL;
	}
	/* the rest of the word is the argument of the first one that takes any: -fi, but -ifile */
	for (const char *p = word + 1; *p; p++) {
		if (!option_find_short(o->table, NULL, *p, &m->found))
			return NULL;
		if (!option_takes_no_argument(&m->found.opt))
			return !p[1] && may_take_next(&m->found.opt) ? &m->found.opt : NULL;
	}
	return NULL;
}

/* Its own, and those of the option that its help refers to: "any of --sort". */
static void offer_values(const struct typed *t, const struct options *o, const struct option *opt)
{
	static const char of[] = " of --";
	const char *name = opt->help ? strstr(opt->help, of) : NULL;
	struct option_match m;

	offer_own_values(t, opt);
	if (!name)
		return;
	name += strlen(of);
	opt = find_long(o, name, strspn(name, "abcdefghijklmnopqrstuvwxyz-"), &m);
	if (opt)
		offer_values(t, o, opt);
}

static void complete_argument(struct typed t, const struct options *o, const struct option *opt)
{
	const char *argh = opt->argh ? opt->argh : "", *comma = strrchr(t.word, ',');

	if (!strcmp(argh, "<file>") || !strcmp(argh, "<dir>") || strstr(argh, "|<file>"))
		puts(":files");
	else if (option_takes_list(opt) || !strcmp(argh, "<list>"))
		puts(":list");
	if (comma) {
		t.list = t.word;
		t.list_len = (int)(comma + 1 - t.word);
		t.word = comma + 1;
	}
	offer_values(&t, o, opt);
	for (size_t i = 0; i < NR_OF(named); i++)
		if (opt->long_name && !strcmp(named[i].option, opt->long_name))
			named[i].offer(&t);
}

/* Offers the options of a table, except those that a command before `end` has, too. */
static void offer_options(const struct typed *t, const struct option *table,
			  const struct subcommand *const *before,
			  const struct subcommand *const *end)
{
	const struct option *opt;
	struct option_walk w;
	char name[96];
	void *into;

	option_walk_init(&w, table, NULL);
	while ((opt = option_walk_next(&w, &into))) {
		bool known = false;

		for (const struct subcommand *const *c = before; c && c != end; c++)
			known |= (*c)->options && opt->long_name &&
				 options_has((*c)->options->table, opt->long_name);
		if (known || !option_is_shown(opt))
			continue;
		if (opt->short_name) {
			snprintf(name, sizeof(name), "-%c", opt->short_name);
			offer_word(t, name);
		}
		if (opt->long_name) {
			snprintf(name, sizeof(name), "--%s", opt->long_name);
			offer_word(t, name);
		}
	}
}

static void offer_commands(const struct typed *t, const struct subcommand *const *commands)
{
	for (; commands && *commands; commands++)
		if ((*commands)->help)
			offer_word(t, (*commands)->name);
}

/* Whether a usage line has this operand. */
static bool has_operand(const struct options *o, const char *operand)
{
	for (const char *const *line = o->usage; line && *line; line++)
		if (strstr(*line, operand))
			return true;
	return false;
}

/* "[<options>] <old> <new>", but not "[<options>] [--] [<command>]" */
static bool takes_files(const struct options *o)
{
	return !o->subcommands && has_operand(o, "[<options>] <");
}

static bool takes_command(const struct options *o)
{
	return has_operand(o, "<command>");
}

/*
 * Skip options and their arguments before the last word, from *at on. ret_opt: the option whose
 * argument the last word is, or NULL; it points into m. Returns whether there is another word.
 */
static bool next_operand(int argc, const char **argv, int *at, const struct options *o,
			 const struct option **ret_opt, struct option_match *m)
{
	*ret_opt = NULL;
	for (; *at < argc - 1; ++*at) {
		if (*ret_opt)
			*ret_opt = NULL;
		else if (argv[*at][0] != '-' || !strcmp(argv[*at], "--"))
			return true;
		else
			*ret_opt = takes_next(o, argv[*at], m);
	}
	return false;
}

static void complete_last(int argc, const char **argv, const struct options *o,
			  const struct option *of)
{
	const char *word = argv[argc - 1], *equals = strchr(word, '=');
	struct typed t = {.word = word};
	struct option_match m;

	if (of) {
		complete_argument(t, o, of);
		return;
	}
	if (!strncmp(word, "--", 2) && equals) {
		t = (struct typed){
			.word = equals + 1, .name = word, .name_len = (int)(equals + 1 - word)};
		of = find_long(o, word + 2, (size_t)(equals - word - 2), &m);
		if (of)
			complete_argument(t, o, of);
		return;
	}
	if (word[0] != '-' && takes_files(o)) {
		puts(":files");
		return;
	}
	if (isalnum((unsigned char)word[0]) && has_operand(o, "[--] [<command>]")) {
		printf(":command %d\n", argc - 1);
		return;
	}
	if (o->subcommands && word[0] != '-') {
		offer_commands(&t, o->subcommands);
		return;
	}
	if (word[0] != '-' && has_operand(o, "<name>=<value>")) {
		puts(":list"); /* a value follows "=" without a space */
		offer_config_keys(&t);
		return;
	}
	offer_options(&t, o->table, NULL, NULL);
	for (const struct subcommand *const *c = o->subcommands; c && *c; c++)
		if ((*c)->options)
			offer_options(&t, (*c)->options->table, o->subcommands, c);
	offer_word(&t, "--help");
}

static void complete_options(int argc, const char **argv, int at, const struct options *o)
{
	const struct subcommand *command;
	const struct option *of;
	struct option_match m;

	for (; next_operand(argc, argv, &at, o, &of, &m); at++) {
		command = o->subcommands ? subcommand_find(o->subcommands, argv[at]) : NULL;
		if (command && !strcmp(command->name, "help")) {
			offer_commands(&(struct typed){.word = argv[argc - 1]}, o->subcommands);
			return;
		}
		if (command && command->options) {
			complete_options(argc, argv, at + 1, command->options);
			return;
		}
		if (takes_command(o)) {
			printf(":command %d\n", at + !strcmp(argv[at], "--"));
			return;
		}
	}
	complete_last(argc, argv, o, of);
}

int builtin_complete(int argc, const char **argv)
{
	static const struct option none[] = {OPT_END()};
	static const struct options perf = {.table = none, .subcommands = perf_commands};

	if (argc)
		complete_options(argc, argv, 0, builtin_called_kmem() ? cmd_kmem.options : &perf);
	return EXIT_SUCCESS;
}
