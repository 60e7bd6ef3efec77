// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/disassembly.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/base/printable.h"
#include "util/base/unlinked_file.h"

#define CODE_FILE "/dev/stdin"

/* Exit status of a child that could not be executed, where posix_spawn() cannot return the error:
 * under qemu-user, and with an emulated vfork(). */
#define STATUS_NOT_RUN 127

/* Machine names of binutils. */
static const struct {
	uint16_t machine;
	const char *name;
} machines[] = {
	{EM_X86_64, "i386:x86-64"}, {EM_386, "i386"},
	{EM_AARCH64, "aarch64"},    {EM_ARM, "arm"},
	{EM_RISCV, "riscv:rv64"},   {EM_PPC64, "powerpc:common64"},
	{EM_PPC, "powerpc:common"}, {EM_S390, "s390:64-bit"},
	{EM_MIPS, "mips"},	    {EM_SPARCV9, "sparc:v9"},
};

static const char *machine_name(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return NULL;
}

/* ---- the text ---- */

/* "    11a0:\ttest   %rsi,%rsi". Other lines are titles, or of no code. */
static int take_line(struct disassembly *d, char *line, const struct code_bytes *code)
{
	char *text;
	uint64_t address = strtoull(line, &text, 16);
	struct instruction *v;

	if (text == line || strncmp(text, ":\t", 2) != 0 || address < code->address ||
	    address - code->address >= code->size || (d->nr && address <= d->v[d->nr - 1].address))
		return 0;
	v = array_room(d->v, d->nr, &d->cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	text += 2;
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	for (size_t len = printable_make(text); len && text[len - 1] == ' ';)
		text[--len] = '\0';
	d->v = v;
	d->v[d->nr++] = (struct instruction){address, text};
	return 0;
}

static int read_lines(struct disassembly *d, int fd, const struct code_bytes *code)
{
	int ret = strbuf_read(&d->text, fd);
	char *rest, *line = ret ? NULL : strtok_r(d->text.buf, "\n", &rest);

	for (; line && !ret; line = strtok_r(NULL, "\n", &rest))
		ret = take_line(d, line, code);
	return ret;
}

/* ---- the child ---- */

/* The code as a file. Returns a descriptor, or -errno. */
static int file_of(const struct code_bytes *code)
{
	int fd = unlinked_file_open(), ret;

	if (fd < 0)
		return fd;
	ret = unlinked_file_write(fd, code->bytes, code->size);
	if (!ret && lseek(fd, 0, SEEK_SET))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* Run it with `in` as its input and `out` as its output. Returns 0, or an errno. */
static int spawn(pid_t *ret_pid, const char *const *argv, int in, int out)
{
	posix_spawn_file_actions_t actions;
	int ret;

	if (posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	ret = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!ret)
		ret = posix_spawnp(ret_pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv,
				   environ);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

static int error_no_objdump(struct error *err, const char *name)
{
	return error_set(err, ENOENT,
			 "there is no '%s' to disassemble with (it is binutils'; --objdump names "
			 "another)",
			 name);
}

static int run(struct disassembly *d, const struct code_bytes *code, const char *const *argv,
	       int in, struct error *err)
{
	int out[2], status = 0, ret;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return error_set_errno(err, errno, "cannot make a pipe for '%s'", argv[0]);
	ret = spawn(&pid, argv, in, out[1]);
	close(out[1]);
	if (ret) {
		close(out[0]);
		return ret == ENOENT ? error_no_objdump(err, argv[0])
				     : error_set_errno(err, ret, "cannot run '%s'", argv[0]);
	}
	ret = read_lines(d, out[0], code);
	close(out[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ret)
		return error_nomem(err);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN)
		return error_no_objdump(err, argv[0]);
	return status ? error_set(err, EIO, "'%s' failed%s", argv[0],
				  d->nr ? "" : ": does it know code of this machine?")
		      : 0;
}

int disassemble(struct disassembly *d, const struct code_bytes *code, const char *objdump,
		const char *style, struct error *err)
{
	const char *machine = machine_name(code->machine);
	char start[40];
	const char *argv[16] = {
		objdump ? objdump : "objdump",
		"-D",
		"-z", /* zeroes, too */
		"--no-show-raw-insn",
		"-b",
		"binary",
		"-m",
		machine,
		code->big_endian ? "-EB" : "-EL",
		start,
	};
	size_t nr = 0;
	_cleanup_close_ int in = -1;

	if (!machine)
		return error_set(err, ENOTSUP, "code of this kind of machine (%u) is unknown",
				 code->machine);
	in = file_of(code);
	if (in < 0)
		return error_set_errno(err, -in, "cannot write code for objdump into '%s'",
				       unlinked_file_dir());
	snprintf(start, sizeof(start), "--adjust-vma=0x%" PRIx64, code->address);
	while (argv[nr])
		nr++;
	if (code->is_thumb) {
		argv[nr++] = "-M";
		argv[nr++] = "force-thumb";
	}
	if (style) {
		argv[nr++] = "-M";
		argv[nr++] = style;
	}
	argv[nr] = CODE_FILE;
	return run(d, code, argv, in, err);
}

void disassembly_deinit(struct disassembly *d)
{
	free(d->v);
	strbuf_deinit(&d->text);
	*d = (struct disassembly)DISASSEMBLY_INIT;
}

bool disassembly_target(const char *text, uint64_t *ret_address, size_t *ret_len)
{
	const char *last = strrchr(text, ' ');
	uint64_t address;
	char *end;

	if (!last || strncmp(last + 1, "0x", 2) != 0)
		return false;
	address = strtoull(last + 1, &end, 16);
	if (*end || end == last + 3)
		return false;
	*ret_address = address;
	*ret_len = (size_t)(last + 1 - text);
	return true;
}
