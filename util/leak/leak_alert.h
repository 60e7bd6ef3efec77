/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak_alert: the condition of leak --alert, such as "leaking>1MB", and what it reports.
 *
 * It holds if one of the report's holders (leak_who.h) has one of the named behaviours and more
 * than this many bytes. The report is one line in text, about the largest of them. In JSON it is an
 * object with all of them.
 */
#ifndef LEAK_LEAK_ALERT_H
#define LEAK_LEAK_ALERT_H

#include "util/leak/leak_report.h"

struct leak_alert {
	const char *text;	 /* as given; NULL: no alert */
	unsigned int behaviours; /* bits */
	uint64_t bytes;
};

/* Parse "leaking>1MB" or "leaking,growing>64K"; keeps the text. Returns 0, or -EINVAL. */
int leak_alert_parse(struct leak_alert *a, const char *text, struct error *err);

bool leak_alert_holds(const struct leak_alert *a, const struct leak *l);

/* The report of an alert that holds. */
struct leak_alert_report {
	const struct report_context *context;
	const struct leak *leak;
	const struct leak_alert *alert;
	const struct leak_interval *interval; /* NULL: the only report */
};

/* ctx: a struct leak_alert_report; it must outlive the document. */
void report_leak_alert(struct document *d, void *ctx);

#endif
