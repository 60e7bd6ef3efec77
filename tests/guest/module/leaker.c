// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel module that allocates, frees and leaks memory in many ways, with counters.
 *
 *	insmod leaker.ko [in_init=COUNT]	leaks COUNT times in its init function
 *	echo WAY COUNT >/proc/leaker		does COUNT allocations in that way
 *	cat /proc/leaker			one line for each way:
 *		WAY FUNCTION+OFFSET/SIZE [MODULE] ALLOCATIONS FREES LIVE_BYTES REMOTE_FREES
 *
 * FUNCTION is the allocating function as the kernel names it, SIZE is its length.  REMOTE_FREES
 * is counted only for other_cpu, whose allocating task cannot migrate.  Unloading the module frees
 * only its caches and its mempool.  Kbuild makes a second module from this file, honest.ko: the
 * same code, with other function names.
 */
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#ifndef NAME
#define NAME leaker
#endif
#define JOIN_(a, b)    a##_##b
#define JOIN(a, b)     JOIN_(a, b)
#define FUNCTION(name) JOIN(NAME, name)

struct way {
	const char *name;
	void (*run)(struct way *way, unsigned int count);
	void *function; /* allocates */
	char symbol[96];
	unsigned int turn;
	atomic64_t allocations, frees, live_bytes, remote_frees;
};

struct object {
	struct rcu_head rcu;
	struct way *way;
	char data[192];
};

static struct kmem_cache *own_cache, *twin_cache, *merged_cache, *bulk_cache;
static mempool_t *pool;

static void allocated(struct way *way, size_t bytes)
{
	atomic64_inc(&way->allocations);
	atomic64_add(bytes, &way->live_bytes);
}

static void freed(struct way *way, size_t bytes)
{
	atomic64_inc(&way->frees);
	atomic64_sub(bytes, &way->live_bytes);
}

/* Counts a slab object with the size that the allocator gave it.  p may be NULL. */
static void *object(struct way *way, void *p)
{
	if (p)
		allocated(way, ksize(p));
	return p;
}

static void free_object(struct way *way, void *p)
{
	if (p)
		freed(way, ksize(p));
	kfree(p);
}

/* Ways that leak. */

static noinline void FUNCTION(kmalloc_small)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kmalloc(96, GFP_KERNEL));
}

static noinline void FUNCTION(kmalloc_large)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kmalloc(16384, GFP_KERNEL));
}

static noinline void FUNCTION(cache_own)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kmem_cache_alloc(own_cache, GFP_KERNEL));
}

static noinline void FUNCTION(cache_merged)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kmem_cache_alloc(merged_cache, GFP_KERNEL));
}

static noinline void FUNCTION(kvmalloc)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kvmalloc(12000, GFP_KERNEL));
}

static noinline void FUNCTION(kstrdup)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kstrdup("a string that nobody frees", GFP_KERNEL));
}

/* krealloc() frees the first object. */
static noinline void FUNCTION(krealloc)(struct way *way, unsigned int count)
{
	while (count--) {
		char *p = object(way, kmalloc(32, GFP_KERNEL)), *larger;
		size_t bytes = p ? ksize(p) : 0;

		larger = p ? object(way, krealloc(p, 300, GFP_KERNEL)) : NULL;
		if (larger)
			freed(way, bytes);
	}
}

static noinline void FUNCTION(half)(struct way *way, unsigned int count)
{
	while (count--) {
		void *p = object(way, kmalloc(128, GFP_KERNEL));

		if (way->turn++ % 2)
			free_object(way, p);
	}
}

static noinline void FUNCTION(fiftieth)(struct way *way, unsigned int count)
{
	while (count--) {
		void *p = object(way, kmalloc(128, GFP_KERNEL));

		if (way->turn++ % 50)
			free_object(way, p);
	}
}

static noinline void FUNCTION(pages_0)(struct way *way, unsigned int count)
{
	while (count--)
		if (alloc_pages(GFP_KERNEL, 0))
			allocated(way, PAGE_SIZE);
}

static noinline void FUNCTION(pages_3)(struct way *way, unsigned int count)
{
	while (count--)
		if (alloc_pages(GFP_KERNEL, 3))
			allocated(way, PAGE_SIZE << 3);
}

static noinline void FUNCTION(get_free_pages)(struct way *way, unsigned int count)
{
	while (count--)
		if (__get_free_pages(GFP_KERNEL, 1))
			allocated(way, PAGE_SIZE << 1);
}

/* Each skb has two objects: head and data. */
static noinline void FUNCTION(skb)(struct way *way, unsigned int count)
{
	while (count--) {
		struct sk_buff *skb = alloc_skb(2000, GFP_KERNEL);

		if (skb) {
			object(way, skb);
			object(way, skb->head);
		}
	}
}

/* On each possible CPU. */
#define PERCPU_BYTES (24 * num_possible_cpus())

static noinline void FUNCTION(percpu)(struct way *way, unsigned int count)
{
	while (count--)
		if (__alloc_percpu(24, 8))
			allocated(way, PERCPU_BYTES);
}

/* An area has a guard page. */
#define AREA_BYTES (4 * PAGE_SIZE)

static noinline void FUNCTION(vmalloc)(struct way *way, unsigned int count)
{
	while (count--)
		if (vmalloc(AREA_BYTES - PAGE_SIZE))
			allocated(way, AREA_BYTES);
}

static struct task_struct *thread;
static struct {
	struct way *way;
	unsigned int count;
	struct completion done;
} thread_work;

static noinline int FUNCTION(kthread_main)(void *data)
{
	while (thread_work.count--)
		object(thread_work.way, kmalloc(64, GFP_KERNEL));
	complete(&thread_work.done);
	/* lives on, so that recorders can read its name */
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Starts a thread with a name of its own.  Works only once. */
static noinline void FUNCTION(kthread)(struct way *way, unsigned int count)
{
	struct task_struct *task;

	if (thread)
		return;
	thread_work.way = way;
	thread_work.count = count;
	init_completion(&thread_work.done);
	task = kthread_run(FUNCTION(kthread_main), NULL, KBUILD_MODNAME "-thread");
	if (IS_ERR(task))
		return;
	thread = task;
	wait_for_completion(&thread_work.done);
}

/* Ways that free everything. */

static noinline void FUNCTION(churn)(struct way *way, unsigned int count)
{
	while (count--)
		free_object(way, object(way, kmalloc(128, GFP_KERNEL)));
}

static noinline void FUNCTION(kvfree)(struct way *way, unsigned int count)
{
	while (count--) {
		void *p = object(way, kvmalloc(12000, GFP_KERNEL));

		if (p)
			freed(way, ksize(p));
		kvfree(p);
	}
}

static noinline void FUNCTION(free_pages)(struct way *way, unsigned int count)
{
	while (count--) {
		unsigned long address = __get_free_pages(GFP_KERNEL, 1);

		if (!address)
			continue;
		allocated(way, PAGE_SIZE << 1);
		free_pages(address, 1);
		freed(way, PAGE_SIZE << 1);
	}
}

static noinline void FUNCTION(kfree_rcu)(struct way *way, unsigned int count)
{
	while (count--) {
		struct object *p = object(way, kmalloc(sizeof(*p), GFP_KERNEL));

		if (!p)
			continue;
		freed(way, ksize(p));
		kfree_rcu(p, rcu);
	}
}

/* Leaks one of five objects. */
static noinline void FUNCTION(rcu_fifth)(struct way *way, unsigned int count)
{
	while (count--) {
		struct object *p = object(way, kmalloc(sizeof(*p), GFP_KERNEL));

		if (!p || way->turn++ % 5 == 0)
			continue;
		freed(way, ksize(p));
		kfree_rcu(p, rcu);
	}
}

static void FUNCTION(after_grace_period)(struct rcu_head *rcu)
{
	struct object *p = container_of(rcu, struct object, rcu);

	free_object(p->way, p);
}

static noinline void FUNCTION(call_rcu)(struct way *way, unsigned int count)
{
	while (count--) {
		struct object *p = object(way, kmalloc(sizeof(*p), GFP_KERNEL));

		if (!p)
			continue;
		p->way = way;
		call_rcu(&p->rcu, FUNCTION(after_grace_period));
	}
}

static noinline void FUNCTION(bulk)(struct way *way, unsigned int count)
{
	void *objects[16];

	while (count) {
		unsigned int n = 0;

		while (n < ARRAY_SIZE(objects) && count) {
			objects[n] = object(way, kmem_cache_alloc(bulk_cache, GFP_KERNEL));
			if (!objects[n])
				return;
			n++;
			count--;
		}
		for (unsigned int i = 0; i < n; i++)
			freed(way, ksize(objects[i]));
		kmem_cache_free_bulk(bulk_cache, n, objects);
	}
}

/* Returns the number of objects: all of them, or 0. */
static __always_inline unsigned int alloc_bulk(struct way *way, void **objects, unsigned int count)
{
	/* the result is the number or, in 7.2, a bool */
	if (!kmem_cache_alloc_bulk(bulk_cache, GFP_KERNEL, count, objects))
		return 0;
	for (unsigned int i = 0; i < count; i++)
		object(way, objects[i]);
	return count;
}

/* Leaks. */
static noinline void FUNCTION(bulk_alloc)(struct way *way, unsigned int count)
{
	void *objects[16];
	unsigned int n = 1;

	for (; count && n; count -= n)
		n = alloc_bulk(way, objects, min_t(unsigned int, count, ARRAY_SIZE(objects)));
}

static noinline void FUNCTION(bulk_both)(struct way *way, unsigned int count)
{
	void *objects[16];
	unsigned int n = 1;

	for (; count && n; count -= n) {
		n = alloc_bulk(way, objects, min_t(unsigned int, count, ARRAY_SIZE(objects)));
		for (unsigned int i = 0; i < n; i++)
			freed(way, ksize(objects[i]));
		if (n)
			kmem_cache_free_bulk(bulk_cache, n, objects);
	}
}

static noinline void FUNCTION(percpu_freed)(struct way *way, unsigned int count)
{
	while (count--) {
		void __percpu *p = __alloc_percpu(24, 8);

		if (!p)
			continue;
		allocated(way, PERCPU_BYTES);
		free_percpu(p);
		freed(way, PERCPU_BYTES);
	}
}

static noinline void FUNCTION(vfree)(struct way *way, unsigned int count)
{
	while (count--) {
		void *p = vmalloc(AREA_BYTES - PAGE_SIZE);

		if (!p)
			continue;
		allocated(way, AREA_BYTES);
		vfree(p);
		freed(way, AREA_BYTES);
	}
}

/* Grows, and frees everything when it is full. */
static noinline void FUNCTION(sawtooth)(struct way *way, unsigned int count)
{
	static void *objects[224];
	static unsigned int nr;

	while (count--) {
		void *p = object(way, kmalloc(160, GFP_KERNEL));

		if (!p)
			return;
		objects[nr++] = p;
		if (nr < ARRAY_SIZE(objects))
			continue;
		while (nr)
			free_object(way, objects[--nr]);
	}
}

static noinline void FUNCTION(mempool)(struct way *way, unsigned int count)
{
	while (count--) {
		void *p = object(way, mempool_alloc(pool, GFP_KERNEL));

		if (p)
			freed(way, ksize(p));
		mempool_free(p, pool);
	}
}

struct batch {
	struct way *way;
	unsigned int nr;
	int cpu; /* of the allocations */
	void *objects[16];
};

static long FUNCTION(free_batch)(void *data)
{
	struct batch *batch = data;

	while (batch->nr) {
		if (raw_smp_processor_id() != batch->cpu)
			atomic64_inc(&batch->way->remote_frees);
		free_object(batch->way, batch->objects[--batch->nr]);
	}
	return 0;
}

static noinline void FUNCTION(other_cpu)(struct way *way, unsigned int count)
{
	struct batch batch = {.way = way};

	while (count) {
		unsigned int other;

		migrate_disable();
		batch.cpu = smp_processor_id();
		for (; batch.nr < ARRAY_SIZE(batch.objects) && count; count--)
			batch.objects[batch.nr++] = object(way, kmalloc(224, GFP_KERNEL));
		migrate_enable();
		other = cpumask_next(batch.cpu, cpu_online_mask);
		if (other >= nr_cpu_ids)
			other = cpumask_first(cpu_online_mask);
		work_on_cpu(other, FUNCTION(free_batch), &batch);
	}
}

static noinline void __init FUNCTION(in_init)(struct way *way, unsigned int count)
{
	while (count--)
		object(way, kmalloc(96, GFP_KERNEL));
}

/* clang-format off */
#define WAY(name)	       WAY_OF(name, name)
#define WAY_OF(name, function) {#name, FUNCTION(name), FUNCTION(function)}
/* clang-format on */
static struct way ways[] = {
	{"in_init"}, /* its function is discarded once the module is loaded */
	WAY(kmalloc_small), WAY(kmalloc_large),
	WAY(cache_own),	    WAY(cache_merged),
	WAY(kvmalloc),	    WAY(kstrdup),
	WAY(krealloc),	    WAY(half),
	WAY(fiftieth),	    WAY(pages_0),
	WAY(pages_3),	    WAY(get_free_pages),
	WAY(skb),	    WAY_OF(kthread, kthread_main),
	WAY(churn),	    WAY(kvfree),
	WAY(free_pages),    WAY(kfree_rcu),
	WAY(call_rcu),	    WAY(bulk),
	WAY(mempool),	    WAY(other_cpu),
	WAY(rcu_fifth),	    WAY(bulk_alloc),
	WAY(bulk_both),	    WAY(percpu),
	WAY(vmalloc),	    WAY(percpu_freed),
	WAY(vfree),	    WAY(sawtooth),
};

static int show(struct seq_file *file, void *data)
{
	rcu_barrier(); /* completes the frees by call_rcu() */
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		struct way *way = &ways[i];

		seq_printf(file, "%s %s %lld %lld %lld %lld\n", way->name, way->symbol,
			   atomic64_read(&way->allocations), atomic64_read(&way->frees),
			   atomic64_read(&way->live_bytes), atomic64_read(&way->remote_frees));
	}
	return 0;
}

static int open(struct inode *inode, struct file *file)
{
	return single_open(file, show, NULL);
}

static ssize_t write(struct file *file, const char __user *from, size_t size, loff_t *offset)
{
	static DEFINE_MUTEX(one_at_a_time);
	char line[64] = "", name[32];
	unsigned int count;

	if (size >= sizeof(line) || copy_from_user(line, from, size) ||
	    sscanf(line, "%31s %u", name, &count) != 2)
		return -EINVAL;
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		struct way *way = &ways[i];

		if (!way->run || strcmp(way->name, name))
			continue;
		mutex_lock(&one_at_a_time);
		way->run(way, count);
		mutex_unlock(&one_at_a_time);
		return size;
	}
	return -ENOENT;
}

static const struct proc_ops operations = {
	.proc_open = open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = write,
};

static unsigned int in_init;
module_param(in_init, uint, 0444);

/* The kernel never merges a cache that has a constructor. */
static void construct(void *p)
{
	memset(p, 0, sizeof(void *));
}

static void destroy(void)
{
	mempool_destroy(pool);
	kmem_cache_destroy(own_cache);
	kmem_cache_destroy(merged_cache);
	kmem_cache_destroy(twin_cache);
	kmem_cache_destroy(bulk_cache);
}

static int __init load(void)
{
	own_cache = kmem_cache_create(KBUILD_MODNAME "_own", 200, 0, 0, construct);
	twin_cache = kmem_cache_create(KBUILD_MODNAME "_twin", 424, 0, 0, NULL);
	merged_cache = kmem_cache_create(KBUILD_MODNAME "_merged", 424, 0, 0, NULL);
	bulk_cache = kmem_cache_create(KBUILD_MODNAME "_bulk", 72, 0, 0, construct);
	pool = mempool_create_kmalloc_pool(4, 640);
	if (!own_cache || !twin_cache || !merged_cache || !bulk_cache || !pool ||
	    !proc_create(KBUILD_MODNAME, 0600, NULL, &operations)) {
		destroy();
		return -ENOMEM;
	}
	ways[0].function = FUNCTION(in_init);
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
		snprintf(ways[i].symbol, sizeof(ways[i].symbol), "%pS", ways[i].function);
	FUNCTION(in_init)(&ways[0], in_init);
	return 0;
}

static void __exit unload(void)
{
	remove_proc_entry(KBUILD_MODNAME, NULL);
	if (thread)
		kthread_stop(thread);
	rcu_barrier();
	destroy();
}

module_init(load);
module_exit(unload);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Allocates, frees and leaks, for the tests of perf kmem");
