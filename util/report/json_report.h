/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of every JSON report: format version and recording, then what the report adds.
 */
#ifndef REPORT_JSON_REPORT_H
#define REPORT_JSON_REPORT_H

#include "util/kmem/analysis.h"
#include "util/render/json.h"

/* Open the object and write what all reports have. */
void json_report_open(struct json *j, FILE *out, const struct kmem_analysis *a);

/* The "recording" object alone, under another name. */
void json_report_recording(struct json *j, const char *key, const struct kmem_analysis *a);

/* Close it and write the end. Returns 0 or -ENOMEM. */
int json_report_close(struct json *j);

#endif
