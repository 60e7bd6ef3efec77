// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/machine/cgroups.h"

struct fixture {
	struct intern strings;
	struct cgroups cgroups;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	intern_init(&f->strings);
	cgroups_init(&f->cgroups, &f->strings);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cgroups_deinit(&f->cgroups);
	intern_deinit(&f->strings);
	free(f);
	return 0;
}

static const char *name(struct fixture *f, uint64_t id, enum cgroup_part part)
{
	return intern_get(&f->strings, cgroups_name(&f->cgroups, id, part), NULL);
}

static const char *path(struct fixture *f, uint64_t id)
{
	return name(f, id, CGROUP_PATH);
}

static void test_an_id_has_its_latest_path(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(cgroups_set_path(&f->cgroups, 7, "/old"), 0);
	assert_string_equal(path(f, 7), "/old");
	assert_int_equal(cgroups_set_path(&f->cgroups, 7, "/new"), 0);
	assert_string_equal(path(f, 7), "/new");
}

static void test_a_cgroup_that_was_made_again_is_the_same(void **state)
{
	struct fixture *f = *state;

	cgroups_set_path(&f->cgroups, 7, "/a");
	cgroups_set_path(&f->cgroups, 8, "/a");
	assert_int_equal(cgroups_name(&f->cgroups, 7, CGROUP_PATH),
			 cgroups_name(&f->cgroups, 8, CGROUP_PATH));
}

static void test_without_a_path_it_is_a_number(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(path(f, UINT64_MAX), "18446744073709551615");
	assert_string_equal(path(f, 9), "9");
	cgroups_set_path(&f->cgroups, 9, "/named");
	assert_string_equal(path(f, 9), "/named");
	assert_string_equal(path(f, 0), "unknown");
}

static void test_no_path_is_longer_than_any_of_the_kernel(void **state)
{
	struct fixture *f = *state;
	char *huge = malloc(3 * PATH_MAX);

	memset(huge, 'x', 3 * PATH_MAX);
	huge[3 * PATH_MAX - 1] = '\0';
	assert_int_equal(cgroups_set_path(&f->cgroups, 7, huge), 0);
	assert_int_equal(strlen(path(f, 7)), PATH_MAX);
	free(huge);
}

#define ID  "4bf0c5e1d3a2978645bf0c5e1d3a2978645bf0c5e1d3a2978645bf0c5e1d3a29"
#define UID "2b41f0a6-9b0c-4f5e-8d27-0a6c1e5b7f93"

static void test_a_path_tells_container_pod_and_unit(void **state)
{
	static const struct {
		const char *path, *container, *pod, *unit;
	} cases[] = {
		{"/", "none", "none", "none"},
		{"/system.slice/ssh.service", "none", "none", "ssh.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope/worker", "none",
		 "none", "a.scope"},
		{"/system.slice/docker-" ID ".scope", "4bf0c5e1d3a2", "none",
		 "docker-" ID ".scope"},
		{"/docker/" ID, "4bf0c5e1d3a2", "none", "none"},
		{"/machine.slice/libpod-" ID ".scope/container", "4bf0c5e1d3a2", "none",
		 "libpod-" ID ".scope"},
		{"/machine.slice/machine-libpod_pod_" ID ".slice/libpod-a.scope", "none",
		 "4bf0c5e1d3a2", "libpod-a.scope"},
		{"/kubepods/burstable/pod" UID "/" ID, "4bf0c5e1d3a2", UID, "none"},
		{"/kubepods.slice/kubepods-besteffort.slice/"
		 "kubepods-besteffort-pod2b41f0a6_9b0c_4f5e_8d27_0a6c1e5b7f93.slice/"
		 "cri-containerd-" ID ".scope",
		 "4bf0c5e1d3a2", UID, "cri-containerd-" ID ".scope"},
		{"/kubepods/pod2b41f0a69b0c4f5e8d270a6c1e5b7f93/crio-" ID, "4bf0c5e1d3a2",
		 "2b41f0a69b0c4f5e8d270a6c1e5b7f93", "none"},
		{"/lxc.payload.web/init.scope", "web", "none", "init.scope"},
		{"/machine.slice/systemd-nspawn@db.service/payload", "db", "none",
		 "systemd-nspawn@db.service"},
		/* not an id: other characters, or digits before it */
		{"/docker/" ID "x", "none", "none", "none"},
		{"/docker/a" ID, "none", "none", "none"},
		{"/podsomething/service/.slice", "none", "none", "none"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cgroups_set_path(&f->cgroups, i + 1, cases[i].path), 0);
		assert_string_equal(name(f, i + 1, CGROUP_CONTAINER), cases[i].container);
		assert_string_equal(name(f, i + 1, CGROUP_POD), cases[i].pod);
		assert_string_equal(name(f, i + 1, CGROUP_UNIT), cases[i].unit);
		assert_string_equal(path(f, i + 1), cases[i].path);
	}
	assert_string_equal(name(f, 99, CGROUP_UNIT), "unknown");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_id_has_its_latest_path),
		TEST(test_a_cgroup_that_was_made_again_is_the_same),
		TEST(test_without_a_path_it_is_a_number),
		TEST(test_no_path_is_longer_than_any_of_the_kernel),
		TEST(test_a_path_tells_container_pod_and_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
