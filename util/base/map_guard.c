// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/map_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Set by a signal handler; see "No mutable globals" in architecture.md. */
static atomic_uint pages;
static atomic_uintptr_t page_size;

/* mmap() is a plain system call, so a handler may use it. */
static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t size = page_size, page = (uintptr_t)info->si_addr & ~(size - 1);
	int saved = errno;
	void *zeroes = MAP_FAILED;

	(void)context;
	if (info->si_code == BUS_ADRERR)
		zeroes = mmap((void *)page, size, PROT_READ,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (zeroes != MAP_FAILED)
		pages++;
	else
		signal(sig, SIG_DFL); /* the repeated access then kills the process */
	errno = saved;
}

void map_guard_install(void)
{
	struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_RESTART};

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
}

unsigned int map_guard_pages(void)
{
	return pages;
}
