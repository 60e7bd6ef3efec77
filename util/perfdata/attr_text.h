/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The attributes of an event as text: "type: 2, size: 136, config: 0x1f, ...".
 *
 * Fields that are zero are omitted. Unknown bits (of newer kernels) are added in hex.
 */
#ifndef PERFDATA_ATTR_TEXT_H
#define PERFDATA_ATTR_TEXT_H

#include "util/base/strbuf.h"
#include "util/perfdata/attr.h"

void attr_text_add(struct strbuf *sb, const struct event_attr *attr);

#endif
