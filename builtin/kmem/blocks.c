// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/blocks.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/cli/terminal.h"

static bool has_blocks(const struct form *form, bool can_replace)
{
	if (form->replaces)
		return can_replace;
	return form->audience == FOR_PEOPLE || form->audience == FOR_PROGRAMS;
}

int kmem_blocks_check(const struct kmem_cli *cli, const char *who, bool is_single,
		      struct error *err)
{
	const bool can_replace = is_single || cli->output;
	struct strbuf names = STRBUF_INIT;
	const struct form *form;
	int ret;

	if (has_blocks(cli->form, can_replace))
		return 0;
	if (cli->form->replaces)
		return error_set(err, EINVAL,
				 "--format %s writes a file that each report replaces: name it "
				 "with -o",
				 cli->form->name);
	for (size_t i = 0; (form = form_at(i)); i++)
		if (has_blocks(form, can_replace))
			strbuf_addf(&names, " %s", form->name);
	ret = error_set(err, EINVAL, "%s only these formats:%s", who, names.buf);
	strbuf_deinit(&names);
	return ret;
}

int kmem_blocks_open(struct kmem_blocks *b, struct kmem_cli *cli, struct error *err)
{
	const char *to = kmem_cli_destination(cli);
	int ret = to ? 0 : out_file_open(&cli->file, "-", NULL, err);

	if (ret)
		return ret;
	*b = (struct kmem_blocks){.cli = cli};
	cli->report.colours = kmem_cli_wants_colours(cli);
	if (!to && isatty(STDOUT_FILENO))
		cli->report.columns = terminal_columns(STDOUT_FILENO);
	ret = cli->rows.path ? top_writer_start_files(&b->writer, &cli->rows, cli->rows_name)
			     : top_writer_start(&b->writer, &cli->file, cli->form->replaces);
	return ret ? error_set_errno(err, -ret, "cannot start a thread") : 0;
}

int kmem_blocks_put(struct kmem_blocks *b, bool wait, kmem_block_fn write, void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream;
	int ret;

	if (!top_writer_has_room(&b->writer, wait)) {
		b->nr_skipped++;
		return 0;
	}
	stream = open_memstream(&text, &len);
	if (!stream)
		return -ENOMEM;
	ret = write(stream, ctx);
	if (fclose(stream) || ret) {
		free(text);
		return ret ? ret : -ENOMEM;
	}
	b->nr_skipped = 0;
	/* a report is made of many small pieces, which are free again */
	if (b->cli->live.memory_bytes)
		malloc_trim(0);
	return top_writer_put(&b->writer, text, len);
}

int kmem_blocks_close(struct kmem_blocks *b, int ret, struct error *err)
{
	struct kmem_cli *cli = b->cli;
	const char *to = kmem_cli_destination(cli);
	int written = top_writer_end(&b->writer);

	if (written)
		return error_set_errno(err, -written, "cannot write '%s'", to ? to : "stdout");
	/* nothing is written before the first interval */
	return ret || b->writer.replaces || cli->rows.path ? ret
							   : out_file_publish(&cli->file, err);
}
