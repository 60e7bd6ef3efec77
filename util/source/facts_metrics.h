/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics that each report has: the machine, the program, the number of events and of losses.
 *
 * The machine and the program are the labels of one series, build_info, and not of the others.
 */
#ifndef SOURCE_FACTS_METRICS_H
#define SOURCE_FACTS_METRICS_H

#include "util/document/document.h"
#include "util/source/facts.h"

/* The facts must outlive the document. */
void source_facts_add_metrics(const struct source_facts *f, struct document_section *in);

#endif
