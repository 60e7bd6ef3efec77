// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: perf record with the kmem events, system-wide. */
#include <errno.h>

#include "builtin/command.h"
#include "builtin/kmem/boot.h"
#include "builtin/kmem/common.h"
#include "builtin/perf/record.h"
#include "util/base/strbuf.h"

struct kmem_record_command {
	const struct kmem_config *config;
	struct record_cli record;
	struct kmem_options wanted; /* the reports to record for */
	bool all;
	bool boot;	      /* print kernel parameters */
	bool from_tracefs;    /* save the kernel's trace buffers */
	const char *tracefs;  /* NULL for the mounted one */
	struct strbuf events; /* as an argument of -e */
};

static int opt_from_tracefs(const struct option_use *use, struct error *err)
{
	struct kmem_record_command *c = use->into;

	if (use->arg && !*use->arg)
		return error_set(err, EINVAL, "'' is not a directory");
	c->from_tracefs = true;
	c->tracefs = use->arg;
	return 0;
}

static bool make_account(unsigned int i, struct option *ret_opt)
{
	for (unsigned int id = 0; id < ACCOUNTS_NR; id++) {
		const struct account_ops *ops = account_table[id];

		if (!ops->record_help || i--)
			continue;
		*ret_opt = (struct option){.type = OPTION_BOOL,
					   .long_name = ops->id,
					   .help = ops->record_help,
					   .offset = id * sizeof(bool)};
		return true;
	}
	return false;
}

static const struct option table[] = {
	OPT_GROUP("For which reports"),
	OPT_EACH(struct kmem_record_command, wanted.wanted, make_account),
	OPT_BOOL(0, "all", struct kmem_record_command, all, "every kmem event, for any report"),
	OPT_BOOL(0, "no-probes", struct kmem_record_command, record.no_probes,
		 "only tracepoints: no BPF programs on the functions that free by RCU or in bulk"),
	OPT_GROUP("The kernel's own trace buffers"),
	OPT_BOOL(0, "boot", struct kmem_record_command, boot,
		 "print the kernel parameters that trace from the start of the kernel"),
	OPT_OPTARG_CALLBACK(0, "from-tracefs", "<dir>",
			    "keep what is in the kernel's trace buffers, or those of an instance, "
			    "or a copy",
			    opt_from_tracefs),
	OPT_INCLUDE_FOR(struct kmem_record_command, record, record_options),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem record [<options>] [--] [<command>]", NULL};
static const struct options options = {"perf kmem record", usage, table,
				       .siblings = kmem_subcommands};

static const char *select_events(void *command)
{
	struct kmem_record_command *c = command;

	/* a boot cannot be repeated */
	if (c->boot && !accounts_any(c->wanted.wanted, ACCOUNTS_ALL))
		accounts_want(c->wanted.wanted, ALLOCATOR_BOTH);
	if (!c->all)
		kmem_select_default(c->config, &c->wanted);
	accounts_add_recorded(&c->events, c->wanted.wanted, c->all, c->record.user_stacks);
	return c->events.buf;
}

static int run_instead(void *command)
{
	const struct kmem_record_command *c = command;

	if (c->boot && c->from_tracefs)
		return builtin_misused(&options, "--boot is for the next boot, --from-tracefs for "
						 "what was traced: one of them");
	if ((c->boot || c->from_tracefs) && c->record.options.command)
		return builtin_misused(&options, "%s takes no command: it records nothing",
				       c->boot ? "--boot" : "--from-tracefs");
	if (c->boot)
		return kmem_boot_print(options.command, &c->record);
	if (c->from_tracefs)
		return kmem_boot_keep(options.command, c->tracefs, &c->record);
	return -1;
}

static int run_record(int argc, const char **argv, void *config)
{
	const struct kmem_config *kmem = config;
	const struct record_preset preset = {
		.options = &options,
		.events = select_events,
		.instead = run_instead,
		.via = kmem->via,
		.announce = "[ Recording kmem events of the whole system, Ctrl-C to stop ]",
		.system_wide = true,
	};
	struct kmem_record_command c = {.config = kmem, .events = STRBUF_INIT};
	int status = record_with_preset(&preset, &c, &c.record, argc, argv);

	strbuf_deinit(&c.events);
	return status;
}

const struct subcommand kmem_record = {
	.name = "record",
	.min_prefix = 3,
	.help = "record the kernel's slab and page allocator events",
	.options = &options,
	.run = run_record,
};
