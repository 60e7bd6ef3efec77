// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/after_syscall.h"

#ifdef HAVE_LIBELF
#include <elf.h>
#include <libelf.h>
#include <string.h>

static const struct {
	uint16_t machine;
	uint8_t size, code[4];
} calls[] = {
	{EM_X86_64, 2, {0x0f, 0x05}}, /* syscall */
	{EM_X86_64, 2, {0xcd, 0x80}}, /* int $0x80 */
	{EM_386, 2, {0xcd, 0x80}},
	{EM_AARCH64, 4, {0x01, 0x00, 0x00, 0xd4}}, /* svc #0 */
};

bool is_after_syscall(const struct elf_file *f, uint64_t offset)
{
	for (size_t i = 0; f->bytes && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].machine == f->machine && offset >= calls[i].size &&
		    offset <= f->size &&
		    !memcmp(f->bytes + offset - calls[i].size, calls[i].code, calls[i].size))
			return true;
	return false;
}

#else

bool is_after_syscall(const struct elf_file *f, uint64_t offset)
{
	(void)f, (void)offset;
	return false;
}

#endif
