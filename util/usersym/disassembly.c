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

#define ARGUMENTS_MAX 16

/* As binutils calls them. */
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

static int add_instruction(struct disassembly *d, uint64_t address, const char *text)
{
	size_t start = d->text.len;
	struct instruction *v = array_room(d->v, d->nr, &d->cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	d->v = v;
	strbuf_addstr(&d->text, text);
	printable_strbuf(&d->text, start);
	while (d->text.len > start && d->text.buf[d->text.len - 1] == ' ')
		strbuf_setlen(&d->text, d->text.len - 1);
	strbuf_addch(&d->text, '\0');
	d->v[d->nr++] = (struct instruction){address, start};
	return d->text.failed ? -ENOMEM : 0;
}

/* "    11a0:\ttest   %rsi,%rsi"; other lines are titles, or stand for skipped zeroes. */
static int take_line(struct disassembly *d, char *line, const struct code_bytes *code)
{
	char *colon = strchr(line, ':'), *end;
	uint64_t address = strtoull(line, &end, 16);

	line[strcspn(line, "\n")] = '\0';
	if (!colon || end != colon || end == line || colon[1] != '\t')
		return 0;
	if (address < code->address || address - code->address >= code->size ||
	    (d->nr && address <= d->v[d->nr - 1].address))
		return 0;
	for (char *c = colon + 2; *c; c++)
		if (*c == '\t')
			*c = ' ';
	return add_instruction(d, address, colon + 2);
}

static int read_lines(struct disassembly *d, int fd, const struct code_bytes *code)
{
	_cleanup_fclose_ FILE *f = fdopen(fd, "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int ret = 0;

	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && getline(&line, &cap, f) > 0)
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

/* Its environment: ours, but with messages that we can read. */
static char **environment(void)
{
	size_t nr = 0, n = 0;
	char **env;

	while (environ[nr])
		nr++;
	env = calloc(nr + 2, sizeof(*env));
	for (size_t i = 0; env && i < nr; i++)
		if (strncmp(environ[i], "LC_ALL=", 7) != 0)
			env[n++] = environ[i];
	if (env)
		env[n] = (char *)(uintptr_t) "LC_ALL=C";
	return env;
}

/* Run it with `in` as its input and `out` as its output. Returns 0 or an errno. */
static int spawn(pid_t *ret_pid, const char *const *argv, int in, int out)
{
	_cleanup_free_ char **env = environment();
	posix_spawn_file_actions_t actions;
	int ret;

	if (!env || posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	ret = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!ret)
		ret = posix_spawnp(ret_pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv, env);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
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
		return ret == ENOENT ? error_set(err, ENOENT,
						 "there is no '%s' to disassemble with (it is "
						 "binutils'; --objdump names another)",
						 argv[0])
				     : error_set_errno(err, ret, "cannot run '%s'", argv[0]);
	}
	ret = read_lines(d, out[0], code);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ret)
		return error_nomem(err);
	return status ? error_set(err, EIO, "'%s' failed%s", argv[0],
				  d->nr ? "" : ": does it know code of this machine?")
		      : 0;
}

int disassemble(struct disassembly *d, const struct code_bytes *code, const char *objdump,
		const char *style, struct error *err)
{
	const char *machine = machine_name(code->machine), *argv[ARGUMENTS_MAX] = {NULL};
	_cleanup_close_ int in = -1;
	char start[40];
	size_t n = 0;

	if (!machine)
		return error_set(err, ENOTSUP, "code of this kind of machine (%u) is unknown",
				 code->machine);
	in = file_of(code);
	if (in < 0)
		return error_set_errno(err, -in, "cannot write code for objdump into '%s'",
				       unlinked_file_dir());
	snprintf(start, sizeof(start), "--adjust-vma=0x%" PRIx64, code->address);
	argv[n++] = objdump ? objdump : "objdump";
	argv[n++] = "-D";
	argv[n++] = "-z"; /* zeroes, too */
	argv[n++] = "--no-show-raw-insn";
	argv[n++] = "-b";
	argv[n++] = "binary";
	argv[n++] = "-m";
	argv[n++] = machine;
	argv[n++] = code->big_endian ? "-EB" : "-EL";
	argv[n++] = start;
	if (style) {
		argv[n++] = "-M";
		argv[n++] = style;
	}
	argv[n++] = "/dev/stdin";
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
