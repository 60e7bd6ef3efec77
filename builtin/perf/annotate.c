// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate: the code of functions, with each instruction's share of the samples. */
#include "builtin/perf/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/perf/frame-names.h"
#include "builtin/recording-input.h"
#include "builtin/perf/sample-filter.h"
#include "builtin/user-files.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/path.h"
#include "util/base/printable.h"
#include "util/base/word_list.h"
#include "util/cli/next_program.h"
#include "util/cli/pager.h"
#include "util/decode/formats.h"
#include "util/profile/address_hits.h"
#include "util/usersym/user_stacks.h"
#include "util/usersym/kernel_image.h"
#include "util/tracepoint/event_format.h"

struct annotate_command {
	struct recording_input input;
	struct sample_filter filter; /* by CPU only */
	struct annotate_style style;
	struct user_files files;
	const char *symbol, *dsos, *vmlinux;
	bool stdio; /* the only output */
};

static const struct {
	const char *name, *shown;
	bool of_all, of_periods;
} percent_types[] = {
	{"local-period", "local period", false, true},
	{"local-hits", "local hits", false, false},
	{"global-period", "global period", true, true},
	{"global-hits", "global hits", true, false},
};

/* Stock takes the two words in either order. */
static int opt_percent_type(const struct option_use *use, struct error *err)
{
	struct annotate_command *c = use->into;
	size_t dash = strcspn(use->arg, "-");
	char turned[32];

	snprintf(turned, sizeof(turned), "%s-%.*s", use->arg[dash] ? use->arg + dash + 1 : "",
		 (int)dash, use->arg);
	for (size_t i = 0; i < sizeof(percent_types) / sizeof(percent_types[0]); i++) {
		if (strcmp(use->arg, percent_types[i].name) != 0 &&
		    strcmp(turned, percent_types[i].name) != 0)
			continue;
		c->style.percent_name = percent_types[i].shown;
		c->style.of_all = percent_types[i].of_all;
		c->style.of_periods = percent_types[i].of_periods;
		return 0;
	}
	return error_set(err, EINVAL,
			 "'%.80s' is not local-period, local-hits, global-period or global-hits",
			 use->arg);
}

static const struct option table[] = {
	OPT_GROUP("Which functions"),
	OPT_STRING('s', "symbol", struct annotate_command, symbol, "<function>",
		   "this function; also as an argument (all that have samples)"),
	OPT_STRING('d', "dsos", struct annotate_command, dsos, "<file,...>",
		   "functions of these files, by name or path"),
	OPT_GROUP("Which samples"),
	OPT_INCLUDE_FOR(struct annotate_command, filter, sample_filter_cpu_options),
	OPT_GROUP("Output"),
	OPT_BOOL(0, "stdio", struct annotate_command, stdio, "text, which is all there is here"),
	OPT_BOOL(0, "source", struct annotate_command, style.source,
		 "lines of the source (--no-source: without them)"),
	OPT_BOOL('l', "print-line", struct annotate_command, style.lines,
		 "file and line of instructions with samples, and their sums above"),
	OPT_BOOL('P', "full-paths", struct annotate_command, style.full_paths,
		 "paths instead of names of files"),
	OPT_BOOL('n', "show-nr-samples", struct annotate_command, style.numbers,
		 "numbers of samples instead of percent"),
	OPT_CALLBACK(0, "percent-type", "<type>",
		     "the base: local-period (the function's), global-period (all of the event's), "
		     "local-hits, global-hits",
		     opt_percent_type),
	OPT_BOOL(0, "group", struct annotate_command, style.group,
		 "several events beside each other"),
	OPT_GROUP("How the code is found and disassembled"),
	OPT_STRING('k', "vmlinux", struct annotate_command, vmlinux, "<file>",
		   "the image of the recorded kernel"),
	OPT_STRING(0, "symfs", struct annotate_command, files.search.symfs, "<dir>",
		   "look for files below this directory"),
	OPT_STRING(0, "objdump", struct annotate_command, style.objdump, "<program>",
		   "the objdump to run"),
	OPT_STRING('M', "disassembler-style", struct annotate_command, style.disassembler,
		   "<style>", "what objdump -M takes, such as intel"),
	OPT_INCLUDE_FOR(struct annotate_command, files, user_files_options),
	OPT_INCLUDE_FOR(struct annotate_command, input, recording_input_options),
	OPT_END(),
};
static const char *const usage[] = {"perf annotate [<options>] [<function>]", NULL};
static const struct options options = {"perf annotate", usage, table};

/* ---- reading ---- */

struct annotate {
	const struct annotate_command *command;
	struct event_source *source;
	struct frame_names names;
	struct user_names user;
	bool has_user, has_image, asked; /* debuginfod servers, for the image */
	struct kernel_image image;
	char *no_image; /* the reason for a missing image */
	struct address_hits hits;
	struct table functions;
	struct annotate_hit *sorted;
	size_t nr_sorted;
};

static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct annotate *a = ctx;
	struct trace trace;
	int ret = trace_init(&trace, formats, err);

	if (ret)
		return ret;
	if (event_names_from_formats(a->source->facts, &trace))
		ret = error_nomem(err);
	trace_deinit(&trace);
	return ret ? ret : kernel_names_take_formats(&a->names.kernel, formats, err);
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct annotate *a = ctx;

	if (!sample_filter_takes_sample(&a->command->filter, sample))
		return 0;
	return address_hits_add(&a->hits, sample) ? error_nomem(err) : 0;
}

static int take_map(void *ctx, const struct source_map *map)
{
	return frame_names_map(&((struct annotate *)ctx)->names, map);
}

static int take_process(void *ctx, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	return frame_names_process(&((struct annotate *)ctx)->names, change, pid, parent_pid);
}

/* ---- functions ---- */

/* A C++ function matches without its parameters, too. */
static bool is_wanted(const struct annotate_command *c, const char *name, const char *dso)
{
	size_t len = c->symbol ? strlen(c->symbol) : 0;

	if (c->symbol && (strncmp(name, c->symbol, len) != 0 || (name[len] && name[len] != '(')))
		return false;
	return word_list_has(c->dsos, dso) || word_list_has(c->dsos, path_base(dso));
}

/* A function with samples, named at its first sample. NULL if out of memory. */
static struct annotate_function *add_function(struct annotate *a, uint32_t file, uint64_t start,
					      const char *name, const char *dso_name)
{
	const uint64_t key[2] = {file, start};
	uint32_t before = a->functions.nr;
	struct annotate_function *f = table_insert(&a->functions, key);
	char *printed;

	if (!f || a->functions.nr == before)
		return f;
	f->name = printed = strdup(name);
	f->dso_name = strdup(dso_name);
	if (!printed || !f->dso_name)
		return NULL;
	printable_make(printed);
	return f;
}

/* ask: use debuginfod servers if allowed. */
static void open_image(struct annotate *a, bool ask)
{
	struct dso_search search = a->command->files.search;
	struct error why = ERROR_INIT;

	if (a->has_image || (a->no_image && (!ask || a->asked || !search.debuginfod)))
		return;
	search.debuginfod = ask ? search.debuginfod : NULL;
	a->asked = ask;
	free(a->no_image);
	a->has_image =
		!kernel_image_open(&a->image, a->command->vmlinux, a->source->facts, &search, &why);
	a->no_image = a->has_image ? NULL : strdup(why.msg);
}

/* *ret is NULL if the address is in no selected function. */
static int find_kernel_function(struct annotate *a, uint64_t *address,
				struct annotate_function **ret, struct error *err)
{
	const struct elf_symbol *sym;
	uint64_t start = 0, in_file;
	struct frame_name name = {.dso = "[kernel.kallsyms]"};

	open_image(a, false);
	if (!a->has_image) {
		if (frame_names_kernel(&a->names, *address, &name, err))
			return -err->code;
		if (name.symbol && !is_wanted(a->command, name.symbol, name.dso))
			return 0;
		open_image(a, true);
	}
	in_file = *address - (a->has_image ? a->image.moved_by : 0);
	sym = a->has_image ? elf_symbols_find(&a->image.dso.symbols, in_file) : NULL;
	if (sym)
		name.symbol = sym->name; /* the recording may have none */
	else if (frame_names_kernel(&a->names, *address, &name, err))
		return -err->code;
	if (!name.symbol || !is_wanted(a->command, name.symbol, name.dso))
		return 0;
	start = sym ? sym->function : *address - name.offset;
	*ret = add_function(a, FILE_OF_KERNEL, start, name.symbol, name.dso);
	if (!*ret)
		return error_nomem(err);
	if (sym) {
		(*ret)->dso = &a->image.dso;
		*address = in_file;
	}
	return 0;
}

static int find_user_function(struct annotate *a, const struct address_hit *hit, uint64_t *address,
			      struct annotate_function **ret, struct error *err)
{
	struct mapped_address at = {hit->file, hit->address};
	struct user_name name;
	struct dso *dso;

	dso = user_names_dso(&a->user, at.file);
	if (dso && hit->entered_from && dso->has_file && is_after_syscall(&dso->file, at.offset))
		at.offset--;
	if (!dso || user_names_find(&a->user, at, &name))
		return error_nomem(err);
	if (!name.symbol || !is_wanted(a->command, name.symbol, name.dso))
		return 0;
	*ret = add_function(a, at.file, name.address - name.offset, name.symbol, name.dso);
	if (!*ret)
		return error_nomem(err);
	(*ret)->dso = user_names_dso(&a->user, at.file);
	*address = name.address;
	return 0;
}

static int compare_hits(const void *x, const void *y)
{
	const struct annotate_hit *a = x, *b = y;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->event > b->event) - (a->event < b->event);
}

/* Find the function of each address, then sort the hits by function. */
static int find_functions(struct annotate *a, struct error *err)
{
	a->sorted = calloc((size_t)a->hits.rows.nr + 1, sizeof(*a->sorted));
	if (!a->sorted)
		return error_nomem(err);
	for (uint32_t i = 0; i < a->hits.rows.nr; i++) {
		const struct address_hit *row = address_hits_at(&a->hits, i);
		struct annotate_hit *hit = &a->sorted[a->nr_sorted];
		struct annotate_function *f = NULL;
		uint64_t address = row->address;
		int ret = row->file == FILE_OF_KERNEL
				  ? find_kernel_function(a, &address, &f, err)
				  : find_user_function(a, row, &address, &f, err);

		if (ret)
			return ret;
		if (!f)
			continue;
		f->samples += row->count.samples;
		*hit = (struct annotate_hit){table_index(&a->functions, f), address, row->event,
					     row->count};
		a->nr_sorted++;
	}
	qsort(a->sorted, a->nr_sorted, sizeof(*a->sorted), compare_hits);
	for (size_t i = 0; i < a->nr_sorted; i++) {
		struct annotate_function *f =
			table_row(&a->functions, (uint32_t)a->sorted[i].function);

		f->first = f->nr++ ? f->first : i;
	}
	return 0;
}

static int compare_functions(const void *x, const void *y)
{
	const struct annotate_function *const *a = x, *const *b = y;
	int c;

	if ((*a)->samples != (*b)->samples)
		return (*a)->samples > (*b)->samples ? -1 : 1;
	c = strcmp((*a)->name, (*b)->name);
	if (!c)
		c = strcmp((*a)->dso_name, (*b)->dso_name);
	return c ? c : ((*a)->start > (*b)->start) - ((*a)->start < (*b)->start);
}

/* ---- printing ---- */

static const char *why_no_code(const struct annotate *a, const struct annotate_function *f)
{
	if (f->dso)
		return NULL;
	if (f->dso_name[0] == '[' && strcmp(f->dso_name, "[kernel.kallsyms]") != 0)
		return "code of kernel modules is not looked for";
	return a->no_image ? a->no_image : "vmlinux does not have it";
}

/* Printing 0 functions is not an error if there are no samples. */
static int print_functions(struct annotate *a, struct annotate_printer *p,
			   const struct annotate_function *const *functions, struct error *err)
{
	uint64_t nr_printed = 0, nr_left = 0;
	struct error why = ERROR_INIT;

	for (uint32_t i = 0; i < a->functions.nr; i++) {
		const struct annotate_function *f = functions[i];
		const char *none = why_no_code(a, f);
		int ret;

		if (none)
			ret = error_set(err, ENODATA, "no code of '%s': %s", f->name, none);
		else
			ret = annotate_print(p, f, err);
		if (ret && ret != -ENODATA)
			return ret;
		if (!ret && ++nr_printed)
			continue;
		if (!nr_left++)
			why = *err;
	}
	if (nr_left && !nr_printed) {
		*err = why;
		return -why.code;
	}
	if (nr_left)
		log_warn("%" PRIu64 " functions with samples are left out; %s", nr_left, why.msg);
	return 0;
}

/* The reason why a requested function has no samples, if it is its file. */
static void tell_unknown_files(const struct annotate *a)
{
	for (uint32_t i = 0; i < process_maps_nr_files(&a->names.maps); i++) {
		const char *why = user_names_why_not(&a->user, i);

		if (why)
			log_warn("%s", why);
	}
}

static int print_all(struct annotate *a, struct error *err)
{
	const struct annotate_command *c = a->command;
	_cleanup_free_ const struct annotate_function **functions =
		calloc((size_t)a->functions.nr + 1, sizeof(*functions));
	struct annotate_printer p = {.to = stdout,
				     .style = &c->style,
				     .hits = a->sorted,
				     .facts = a->source->facts,
				     .counts = &a->hits};
	int ret;

	if (!functions)
		return error_nomem(err);
	tell_unknown_files(a);
	if (!a->functions.nr && c->symbol)
		return error_set(err, ENODATA, "'%s': no samples in '%.200s'%s",
				 a->source->facts->path, c->symbol,
				 c->dsos ? " of these files" : "");
	if (!a->functions.nr)
		return error_set(err, ENODATA, "'%s': no samples in known functions",
				 a->source->facts->path);
	for (uint32_t i = 0; i < a->functions.nr; i++)
		functions[i] = table_row(&a->functions, i);
	qsort(functions, a->functions.nr, sizeof(*functions), compare_functions);
	annotate_printer_init(&p);
	ret = print_functions(a, &p, functions, err);
	annotate_printer_deinit(&p);
	return ret;
}

static int annotate(struct annotate *a, struct error *err)
{
	static const struct event_sink sink = {.formats = take_formats,
					       .sample = take_sample,
					       .map = take_map,
					       .process = take_process};
	struct pager pager = PAGER_INIT;
	int ret = event_source_read(a->source, &sink, a, err);

	if (ret)
		return ret;
	if (a->hits.nr_left_out)
		log_warn("'%s': left out %" PRIu64 " hits: too many different addresses for a file "
			 "of this size",
			 a->source->facts->path, a->hits.nr_left_out);
	ret = user_names_init(&a->user, &a->names.maps, a->source->facts, &a->command->files.search,
			      err);
	if (ret)
		return ret;
	a->has_user = true;
	ret = find_functions(a, err);
	if (!ret)
		ret = pager_start(&pager, err);
	if (ret)
		return ret;
	return pager_finish_once(&pager, print_all(a, err), err);
}

static void deinit(struct annotate *a)
{
	for (uint32_t i = 0; i < a->functions.nr; i++) {
		struct annotate_function *f = table_row(&a->functions, i);

		free((char *)(uintptr_t)f->name);
		free((char *)(uintptr_t)f->dso_name);
	}
	table_deinit(&a->functions);
	address_hits_deinit(&a->hits);
	if (a->has_user)
		user_names_deinit(&a->user);
	if (a->has_image)
		kernel_image_close(&a->image);
	frame_names_deinit(&a->names);
	free(a->no_image);
	free(a->sorted);
}

static int run_annotate(struct annotate_command *c)
{
	struct annotate a = {.command = c};
	struct error err = ERROR_INIT;
	int ret;

	next_program_forget();
	if (user_files_load_config(&c->files, &err) ||
	    recording_input_open(&c->input, false, &a.source, &err))
		return builtin_error(options.command, &err);
	frame_names_init(&a.names, a.source->facts, NULL, &c->files.search);
	address_hits_init(&a.hits, a.source->facts, &a.names.maps);
	table_init(&a.functions, sizeof(struct annotate_function), 2 * sizeof(uint64_t));
	ret = annotate(&a, &err);
	deinit(&a);
	return recording_input_close(a.source, options.command, ret, &err);
}

static int run(int argc, const char **argv, void *context)
{
	struct annotate_command c = {
		.style = {.source = true, .percent_name = "local period", .of_periods = true}};
	int status;

	(void)context;
	recording_input_init(&c.input);
	sample_filter_init(&c.filter);
	status = builtin_options_or_next(&options, &c, &argc, argv, 0);
	if (status < 0 && argc == 1 && !c.symbol)
		c.symbol = argv[0];
	else if (status < 0 && argc)
		status = builtin_misused(&options, "'%s': only one function is annotated",
					 argv[c.symbol ? 0 : 1]);
	if (status < 0)
		status = run_annotate(&c);
	user_files_deinit(&c.files);
	sample_filter_deinit(&c.filter);
	return status;
}

const struct subcommand cmd_annotate = {
	.name = "annotate",
	.help = "show the code of functions, and which of it has samples",
	.options = &options,
	.hands_over = true,
	.run = run,
};
