// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/form.h"

#include <errno.h>
#include <string.h>

#define FORM_ADDRESS(name) &form_##name,

static const struct form *const forms[] = {FORMS(FORM_ADDRESS)};

#define NR_FORMS (sizeof(forms) / sizeof(forms[0]))

const struct form *form_at(size_t i)
{
	return i < NR_FORMS ? forms[i] : NULL;
}

const struct form *form_find(const char *name)
{
	for (size_t i = 0; i < NR_FORMS; i++)
		if (!strcmp(forms[i]->name, name))
			return forms[i];
	return NULL;
}

static bool can_write(const struct form *form, unsigned int content)
{
	return !(form->needs & ~content);
}

int form_check(const struct form *form, const char *who, unsigned int content, struct error *err)
{
	struct strbuf others = STRBUF_INIT;
	int ret;

	if (can_write(form, content))
		return 0;
	for (size_t i = 0; i < NR_FORMS; i++)
		if (can_write(forms[i], content))
			strbuf_addf(&others, "%s%s", others.len ? ", " : "", forms[i]->name);
	ret = error_set(err, EINVAL, "%s no %s (--format %s)", who, form->lacks, others.buf);
	strbuf_deinit(&others);
	return ret;
}

int form_write(const struct form *form, FILE *out, const struct render_options *o,
	       const struct document *d, struct error *err)
{
	int ret = form->check ? form->check(o, d, err) : 0;

	if (!ret && form->render(out, o, d))
		ret = error_nomem(err);
	return ret;
}
