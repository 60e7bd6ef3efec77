// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/report.h"

#include <string.h>

static const struct {
	const char *name;
	report_fn fn;
} formats[] = {
	{"text", report_text},
	{"json", report_json},
};

report_fn report_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].fn;
	return NULL;
}

const char *report_format_names(void)
{
	return "text, json";
}
