// SPDX-License-Identifier: GPL-2.0-or-later
/* The holders of a made-up machine, and those of this one that the test makes itself. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/scratch_root.h"
#include "util/where/collect.h"
#include "util/where/holders.h"

static struct scratch_root root;

static void put(const char *path, const char *text)
{
	scratch_root_put(&root, path, text);
}

static void collect(const char *from, struct holders *ret)
{
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(collect_holders(from, &sb), 0);
	holders_init(ret, sb.buf, sb.len);
	assert_false(ret->failed);
	strbuf_deinit(&sb);
}

/* The first one of the kind with this name, or NULL. */
static const struct holder *find(const struct holders *h, enum holder_kind kind, const char *name)
{
	const struct holder *holder;
	size_t at = 0;

	while ((holder = holders_next(h, kind, &at)))
		if (!strcmp(holder->name, name))
			return holder;
	return NULL;
}

static int64_t bytes_of(const struct holders *h, enum holder_kind kind, const char *name)
{
	const struct holder *holder = find(h, kind, name);

	return holder ? holder->v[HOLDER_NR_bytes] : -1;
}

static void test_machine(void **state)
{
	const long page = sysconf(_SC_PAGESIZE);
	const struct holder *p;
	struct holders h;

	(void)state;
	put("/sys/block/zram0/mm_stat", "  104857600 30000000 31457280        0 31457280   0 0\n");
	put("/sys/block/sda/mm_stat", "1 2 3\n");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "10\n");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "4\n");
	put("/sys/kernel/mm/cma/reserved/alloc_pages_success", "300\n");
	put("/sys/kernel/mm/cma/reserved/release_pages_success", "100\n");
	put("/sys/kernel/tracing/buffer_total_size_kb", "14 (expanded: 2816)\n");
	put("/sys/kernel/tracing/instances/mine/buffer_total_size_kb", "2816\n");
	put("/sys/kernel/debug/dma_buf/bufinfo",
	    "\nDma-buf Objects:\nsize    \tflags   \tmode    \tcount   \texp_name\tino     \tname\n"
	    "00008192\t00000002\t00080007\t00000002\tsystem\t00000001\t<none>\n"
	    "Total 1 objects, 8192 bytes\n");
	put("/sys/kernel/debug/percpu_stats",
	    "  unit_size           :      1048576\n  static_size         :       185496\n"
	    "  reserved_size       :            0\n  dyn_size            :        31592\n");
	put("/sys/devices/system/cpu/possible", "0-3\n");
	put("/proc/7/status", "Name:\ta b\nUmask:\t0022\nThreads:\t3\nVmPTE:\t      44 kB\n"
			      "RssAnon:\t     100 kB\nRssFile:\t    1 kB\nRssShmem:\t     20 kB\n");
	put("/proc/7/timers", "ID: 0\nsignal: 14/0\nID: 1\n");
	put("/proc/8/status", "Name:\tkthreadd\nThreads:\t1\n");
	put("/proc/meminfo", "");
	collect(root.dir, &h);
	assert_int_equal(bytes_of(&h, HOLDER_zram, "zram0"), 31457280);
	assert_null(find(&h, HOLDER_zram, "sda"));
	p = find(&h, HOLDER_hugetlb, "");
	assert_non_null(p);
	assert_int_equal(p->v[HOLDER_NR_bytes], 10 << 21);
	assert_int_equal(p->v[HOLDER_NR_free], 4 << 21);
	assert_int_equal(bytes_of(&h, HOLDER_cma, "reserved"), 200 * page);
	assert_int_equal(bytes_of(&h, HOLDER_trace_buffer, "the first instance"), 14 << 10);
	assert_int_equal(bytes_of(&h, HOLDER_trace_buffer, "mine"), 2816 << 10);
	assert_int_equal(bytes_of(&h, HOLDER_dma_buf, "system"), 8192);
	if (page == 4096)
		assert_int_equal(bytes_of(&h, HOLDER_percpu_first, ""), 53L * 4096 * 4);
	p = find(&h, HOLDER_process, "a b");
	assert_non_null(p);
	assert_int_equal(p->v[HOLDER_NR_pid], 7);
	assert_int_equal(p->v[HOLDER_NR_anon], 100 << 10);
	assert_int_equal(p->v[HOLDER_NR_shmem], 20 << 10);
	assert_int_equal(p->v[HOLDER_NR_page_tables], 44 << 10);
	assert_int_equal(p->v[HOLDER_NR_threads], 3);
	assert_int_equal(p->v[HOLDER_NR_timers], 2);
	assert_null(find(&h, HOLDER_process, "kthreadd"));
	holders_deinit(&h);
}

static const struct holder *find_self(const struct holders *h)
{
	const struct holder *holder;
	size_t at = 0;

	while ((holder = holders_next(h, HOLDER_process, &at)))
		if (holder->v[HOLDER_NR_pid] == getpid())
			return holder;
	return NULL;
}

static void test_own_descriptors(void **state)
{
	int sockets[2], pipes[2], memory, twin, epoll = epoll_create1(0), inotify = inotify_init();
	struct epoll_event event = {.events = EPOLLIN};
	const struct holder *before, *after;
	struct holders old, new;
	size_t at = 0, nr = 0;

	(void)state;
	collect("", &old);
	before = find_self(&old);
	assert_non_null(before);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event), 0);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[0], &event), 0);
	assert_true(inotify_add_watch(inotify, "/tmp", IN_CREATE) >= 0);
	memory = memfd_create("test of collect", 0);
	assert_int_equal(ftruncate(memory, 1 << 20), 0);
	assert_int_equal(pwrite(memory, "x", 1, 0), 1);
	assert_int_equal(pwrite(memory, "x", 1, 512 << 10), 1);
	twin = dup(memory);
	collect("", &new);
	after = find_self(&new);
	assert_non_null(after);
	assert_int_equal(after->v[HOLDER_NR_sockets] - before->v[HOLDER_NR_sockets], 2);
	assert_int_equal(after->v[HOLDER_NR_pipes] - before->v[HOLDER_NR_pipes], 2);
	assert_int_equal(after->v[HOLDER_NR_epoll_items], 2);
	assert_int_equal(after->v[HOLDER_NR_inotify_watches], 1);
	assert_int_equal(after->v[HOLDER_NR_files] - before->v[HOLDER_NR_files], 6);
	/* once, though it has two descriptors */
	while ((after = holders_next(&new, HOLDER_deleted, &at)))
		if (!strcmp(after->name, "/memfd:test of collect")) {
			assert_int_equal(after->v[HOLDER_NR_bytes], 2 * sysconf(_SC_PAGESIZE));
			assert_int_equal(after->v[HOLDER_NR_pid], getpid());
			nr++;
		}
	assert_int_equal(nr, 1);
	holders_deinit(&old);
	holders_deinit(&new);
	for (int i = 0; i < 2; i++) {
		close(sockets[i]);
		close(pipes[i]);
	}
	close(memory);
	close(twin);
	close(epoll);
	close(inotify);
}

static int make_root(void **state)
{
	(void)state;
	return scratch_root_init(&root);
}

static int remove_root(void **state)
{
	(void)state;
	return scratch_root_deinit(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_own_descriptors),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
