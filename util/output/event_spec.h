/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event specs: the argument of -e, parsed without the kernel.
 *
 *	-e SYSTEM:NAME[/TERM[,TERM...]/][,SPEC...]
 *
 * SYSTEM and NAME may be globs (kmem:mm_page_*). Terms:
 *
 *	call-graph=no       no callchain for this event, even with -g
 *	call-graph=kernel   kernel frames, even without -g
 *	call-graph=user     kernel and user frames
 *	failed              only allocations that failed
 *	optional            not an error if the kernel lacks the event
 *	max-stack=N         only the innermost N frames, unless -g or --max-stack is given
 *
 * One recording can have stacks for the page events only, and only as deep as needed. An
 * event without terms follows the command's -g, --user-stacks and --max-stack. Errors: -EINVAL with
 * the spec in the message.
 */
#ifndef OUTPUT_EVENT_SPEC_H
#define OUTPUT_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/error.h"

enum callchain_mode {
	CALLCHAIN_DEFAULT, /* as for the command */
	CALLCHAIN_NONE,
	CALLCHAIN_KERNEL,
	CALLCHAIN_USER, /* and kernel frames */
};

struct event_spec {
	char *system;
	char *name;
	enum callchain_mode callchain;
	unsigned int max_stack; /* frames; 0: as for the command */
	bool failed_only;	/* only allocations that failed */
	bool optional;		/* the kernel may lack it */
	char *filter;		/* in the kernel's filter language; may be NULL */
};

struct event_spec_list {
	struct event_spec *specs;
	size_t nr;
	size_t nr_before; /* number of specs from earlier arguments */
};

#define EVENT_SPEC_LIST_INIT                                                                       \
	{                                                                                          \
		NULL                                                                               \
	}

/* Add the specs of one -e argument to the list. */
int event_spec_list_parse(struct event_spec_list *l, const char *text, struct error *err);

/* Set a filter for the events of the last argument. -EINVAL if there was none. */
int event_spec_list_filter(struct event_spec_list *l, const char *filter, struct error *err);

void event_spec_list_deinit(struct event_spec_list *l);

#endif
