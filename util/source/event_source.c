// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/event_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/source/input.h"

#define DECLARE(source) extern const struct event_source_ops event_source_##source;
EVENT_SOURCES(DECLARE)
#undef DECLARE

#define ADDRESS(source) &event_source_##source,
static const struct event_source_ops *const sources[] = {EVENT_SOURCES(ADDRESS)};
#undef ADDRESS

#define WORD(source) #source,
static const char *const words[] = {EVENT_SOURCES(WORD)};
#undef WORD

#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

const struct event_source_ops *event_source_probe(const struct event_source_ops *const *v,
						  size_t nr, const struct source_input *input)
{
	for (size_t i = 0; i < nr; i++) {
		const struct event_source_ops *ops = v[i];

		if (ops->probe(input))
			return ops;
	}
	return NULL;
}

static const struct event_source_ops *find_word(const char *word)
{
	for (size_t i = 0; i < NR_SOURCES; i++)
		if (!strcmp(words[i], word))
			return sources[i];
	return NULL;
}

int event_source_check_word(const char *word, struct error *err)
{
	if (find_word(word))
		return 0;
	return error_set(err, EINVAL, "'%s' is not an input format", word);
}

/* The first bytes of texts that were converted on their way here, and how to undo that. */
static const struct {
	const char *begin, *advice;
} conversions[] = {
	{"\xef\xbb\xbf", "begins with a byte order mark, which no kernel writes; remove it: "
			 "tail -c +4"},
	{"\xff\xfe", "is a text in UTF-16; convert it: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "is a text in UTF-16; convert it: iconv -f UTF-16 -t UTF-8"},
};

static int refuse_unknown(const struct source_input *input, struct error *err)
{
	/* the head has been unpacked already */
	if (packing_of(input->head, input->head_size))
		return error_set(err, EINVAL, "'%s' is packed more than twice: unpack it first",
				 input->path);
	for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++)
		if (source_input_begins(input, conversions[i].begin))
			return error_set(err, EINVAL, "'%s' %s", input->path,
					 conversions[i].advice);
	return error_set(
		err, EINVAL,
		"'%s': its bytes at offset 0x0 match no known format (listed by 'perf kmem stat "
		"--help' at --input-format)",
		input->path);
}

/* Find the source that reads it, or the one that the user named. */
static int find_source(const struct source_input *input, const struct source_options *options,
		       const struct event_source_ops **ret_ops, struct error *err)
{
	*ret_ops = event_source_probe(sources, NR_SOURCES, input);
	/* empty, or unreadable: the first source reports the reason */
	if (!*ret_ops && !input->head_size)
		*ret_ops = sources[0];
	if (options->format && !(*ret_ops && (*ret_ops)->has_parts)) {
		*ret_ops = find_word(options->format);
		return *ret_ops ? 0 : event_source_check_word(options->format, err);
	}
	return *ret_ops ? 0 : refuse_unknown(input, err);
}

/* Open with a source that opens files itself. */
static int open_path(const struct event_source_ops *ops, struct input *in,
		     const struct source_options *options, struct event_source **ret_source,
		     struct error *err)
{
	const struct source_input *probed = input_probed(in);
	struct source_options o = *options;
	_cleanup_close_ int file = -1;
	int ret = 0;

	if (input_packing(in) || (ops->seeks && input_is_stream(in))) {
		ret = input_to_file(in, &file, err);
		o.opened_fd = file;
		o.packed_size = input_packing(in) ? input_raw_pos(in) : 0;
	} else if (input_is_stream(in) && strcmp(probed->path, "-") != 0) {
		o.opened_fd = input_fd(in);
	}
	if (!ret)
		ret = ops->open(probed->path, &o, ret_source, err);
	if (ret)
		return ret;
	input_serve(in, (*ret_source)->facts);
	if (o.packed_size > (*ret_source)->facts->stored_bytes)
		(*ret_source)->facts->stored_bytes = o.packed_size;
	return 0;
}

int event_source_open(const char *path, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	const struct event_source_ops *ops = NULL;
	const char *packing;
	uint64_t size;
	struct input *in;
	int ret = input_open(path, options, &in, err);

	if (ret)
		return ret;
	packing = packing_name(input_packing(in));
	size = input_raw_size(in);
	ret = find_source(input_probed(in), options, &ops, err);
	if (!ret && ops->open_input) {
		ret = ops->open_input(in, options, ret_source, err);
	} else {
		if (!ret)
			ret = open_path(ops, in, options, ret_source, err);
		input_free(in);
	}
	if (ret)
		return ret;
	(*ret_source)->facts->format = ops->name;
	(*ret_source)->facts->is_default = ops->is_default;
	(*ret_source)->facts->limits = ops->limits;
	(*ret_source)->facts->packing = packing;
	if (size > (*ret_source)->facts->stored_bytes)
		(*ret_source)->facts->stored_bytes = size;
	return 0;
}

int event_source_read(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err)
{
	int ret = s->ops->read(s, sink, ctx, err);

	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret < 0 && err && !err->code)
		error_set_errno(err, -ret, "cannot read '%s'", s->facts->path);
	return ret;
}

void event_source_free(struct event_source *s)
{
	if (s)
		s->ops->free(s);
}
