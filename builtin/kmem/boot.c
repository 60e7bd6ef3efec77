// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/units.h"
#include "util/ftrace/tracefs_source.h"
#include "util/host/running_kernel.h"
#include "util/host/topology.h"
#include "util/output/evlist.h"
#include "util/output/save.h"

/* x86's COMMAND_LINE_SIZE, the smallest one of distributions' kernels. */
#define COMMAND_LINE_MAX 2048

/* The fraction of the memory for all buffers, within limits for each CPU. */
#define MEMORY_PART    16
#define BUFFER_MIN_KIB 4096
#define BUFFER_MAX_KIB (256u << 10)

/* A power of two, in KiB, for each CPU. */
static uint64_t buffer_kib(const struct record_cli *record)
{
	_cleanup_(topology_deinit) struct topology t;
	uint64_t kib = BUFFER_MIN_KIB, want;

	if (topology_init(&t, ""))
		return kib;
	want = t.total_kib / MEMORY_PART / (t.nr_cpus ? t.nr_cpus : 1);
	if (record->options.buffer_bytes)
		return (record->options.buffer_bytes + 1023) / 1024;
	while (kib * 2 <= want && kib < BUFFER_MAX_KIB)
		kib *= 2;
	return kib;
}

static bool has_line(const struct tracefs *t, const char *file, const char *word)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;

	if (strbuf_addf(&path, "%s/%s", t->path, file) || strbuf_read_file(&text, path.buf))
		return false;
	return strstr(text.buf, word) != NULL;
}

/* The parameters are from 3.12 and 3.14; "tracing: Add kernel command line option for ..." */
static int check_kernel(const struct tracefs *t, bool stacks, struct error *err)
{
	struct utsname u;
	unsigned int major, minor;

	uname(&u);
	if (sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	    (major < 3 || (major == 3 && minor < 14)))
		return error_set(err, ENOTSUP,
				 "kernel %s cannot trace from its start with all of trace_event, "
				 "trace_options and trace_clock: 3.14 and later can",
				 u.release);
	if (!has_line(t, "trace_clock", "global"))
		return error_set(err, ENOTSUP, "'%s/trace_clock' has no clock 'global'", t->path);
	if (stacks && !has_line(t, "trace_options", "stacktrace"))
		return error_set(err, ENOTSUP,
				 "this kernel has no stacks of traced events: it was built without "
				 "CONFIG_STACKTRACE");
	return 0;
}

static void add_parameters(struct strbuf *sb, const struct evlist *l, uint64_t kib, bool stacks)
{
	strbuf_addstr(sb, "trace_event=");
	for (size_t i = 0; i < l->nr; i++)
		strbuf_addf(sb, "%s%s:%s", i ? "," : "", l->evsels[i].system, l->evsels[i].name);
	strbuf_addf(sb,
		    " trace_buf_size=%" PRIu64 "K trace_options=%snooverwrite trace_clock=global",
		    kib, stacks ? "stacktrace," : "");
}

static void print_how(const struct strbuf *parameters, uint64_t kib)
{
	_cleanup_(topology_deinit) struct topology t;
	char size[UNITS_BUF], all[UNITS_BUF];

	units_bytes(size, sizeof(size), kib * 1024);
	units_bytes(all, sizeof(all),
		    kib * 1024 * (topology_init(&t, "") || !t.nr_cpus ? 1 : t.nr_cpus));
	printf("%s\n", parameters->buf);
	fprintf(stderr,
		"# Add this to the kernel's command line (GRUB: GRUB_CMDLINE_LINUX in\n"
		"# /etc/default/grub, then update-grub) and boot. The buffers take %s for each "
		"CPU, %s in all,\n"
		"# and keep what comes first; with -m they are larger or smaller. After the boot, "
		"as root:\n"
		"#   echo 0 >/sys/kernel/tracing/tracing_on    stop tracing\n"
		"#   perf kmem stat -i /sys/kernel/tracing     what was allocated\n"
		"#   perf kmem record --from-tracefs           keep it as perf.data\n",
		size, all);
}

int kmem_boot_print(const char *command, const struct record_cli *record)
{
	const struct evlist_config config = {
		.callchain = record->stacks ? CALLCHAIN_KERNEL : CALLCHAIN_NONE, .period = 1};
	_cleanup_(evlist_deinit) struct evlist l = EVLIST_INIT;
	_cleanup_(strbuf_deinit) struct strbuf parameters = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct tracefs t;
	bool stacks = false;
	uint64_t kib = buffer_kib(record);
	int ret = tracefs_find(&t, true, &err);

	if (!ret)
		ret = evlist_init(&l, &t, &record->options.events, &config, &err);
	for (size_t i = 0; !ret && i < l.nr; i++)
		stacks |= l.evsels[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	if (!ret)
		ret = check_kernel(&t, stacks, &err);
	if (!ret) {
		add_parameters(&parameters, &l, kib, stacks);
		if (parameters.failed)
			ret = error_nomem(&err);
		else if (parameters.len >= COMMAND_LINE_MAX / 2)
			ret = error_set(&err, E2BIG,
					"%zu bytes are too many for a kernel's command line (name "
					"fewer events with -e)",
					parameters.len);
	}
	if (ret)
		return builtin_error(command, &err);
	print_how(&parameters, kib);
	return 0;
}

int kmem_boot_keep(const char *command, const char *dir, const struct record_cli *record)
{
	const struct source_options how = {.force = true, .jobs = 1};
	struct error err = ERROR_INIT;
	struct event_source *source = NULL;
	struct save_result result;
	struct tracefs t;
	bool emptied = false;
	int ret = dir ? tracefs_at(&t, dir, &err) : tracefs_find(&t, false, &err);

	if (!ret)
		ret = tracefs_source_open_raw(t.path, &how, &source, &emptied, &err);
	if (!ret) {
		const struct save_options options = {
			.output = record->options.output,
			.version = record->options.version,
			.compress_level = record->options.compress_level,
			.tracefs = &t,
			.this_machine = source_facts_are_of_running_kernel(source->facts),
		};

		ret = save_source(source, &options, &result, &err);
	}
	if (ret) {
		event_source_free(source);
		return builtin_error(command, &err);
	}
	event_source_free(source);
	if (emptied)
		log_warn("'%s' is empty now: before 6.10 a kernel's buffers can only be emptied",
			 t.path);
	if (!record->quiet)
		builtin_say("perf record",
			    "kept %" PRIu64 " events of '%s' in %s (%.3f MB, %" PRIu64 " lost)",
			    result.nr_samples, t.path, record->options.output,
			    (double)result.bytes / (1024 * 1024), result.nr_lost);
	return 0;
}
