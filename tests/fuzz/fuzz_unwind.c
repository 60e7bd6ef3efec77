// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile sample in a hostile program: registers (u64 each, those that samples of this machine
 * have), u16 bytes of stack, the stack, and the rest is the file, all of which is mapped at BASE.
 * Unwound frames get names and lines.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/bytes.h"
#include "util/machine/user_regs.h"
#include "util/usersym/unwind.h"

#define BASE	   0x10000
#define PID	   7
#define FRAMES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void name_frame(struct user_names *names, struct mapped_address at)
{
	const struct user_frame *lines;
	struct user_name name;
	size_t nr;

	if (user_names_find(names, at, &name) || user_names_lines(names, at, &lines, &nr))
		abort(); /* no memory */
	for (size_t i = 0; i < nr; i++)
		if (lines[i].function && !*lines[i].function && lines[i].line == UINT32_MAX)
			abort(); /* never; but the strings must be read */
}

static void unwind(const struct process_maps *maps, struct user_names *names,
		   const struct sample_user *user)
{
	uint64_t frames[FRAMES_MAX];
	struct mapped_address at;
	struct unwinder *u;
	size_t nr;

	if (unwinder_new(&u, maps, names, NULL))
		return;
	nr = unwinder_frames(u, PID, user, false, frames, FRAMES_MAX);
	if (nr > FRAMES_MAX)
		abort();
	for (size_t i = 0; i < nr; i++)
		if (process_maps_find(maps, PID, frames[i] - !!i, &at))
			name_frame(names, at);
	unwinder_free(u);
}

static void unwind_in_file(const struct sample_user *user, const void *file, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct source_facts facts;
	struct process_maps maps;
	struct user_names names;
	char path[32];

	if (fd < 0 || write(fd, file, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	source_facts_init(&facts);
	process_maps_init(&maps);
	if (process_maps_map(
		    &maps,
		    &(struct source_map){
			    .pid = PID, .tid = PID, .start = BASE, .length = size, .path = path}) ||
	    user_names_init(&names, &maps, &facts, NULL, NULL))
		abort();
	unwind(&maps, &names, user);
	user_names_deinit(&names);
	process_maps_deinit(&maps);
	source_facts_deinit(&facts);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_make(data, size, false);
	struct sample_user user = {.mask = USER_REGS_HERE};

	user.regs = bytes_take(&b, 8 * (size_t)__builtin_popcountll(USER_REGS_HERE));
	user.stack_size = bytes_u16(&b);
	user.stack = bytes_take(&b, user.stack_size);
	if (!b.failed && bytes_left(&b))
		unwind_in_file(&user, data + (size - bytes_left(&b)), bytes_left(&b));
	return 0;
}
