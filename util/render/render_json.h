/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document as JSON: a section is an object, a table an array of objects, a row one line.
 *
 * Ids are the keys.  What is not known is null, and so is a section that is missing.
 */
#ifndef RENDER_RENDER_JSON_H
#define RENDER_RENDER_JSON_H

#include "util/document/document.h"
#include "util/render/json.h"

/* Into an object that is open. */
void render_json_section(struct json *j, const struct document_section *s);

#endif
