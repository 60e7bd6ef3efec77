/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct machine_id: which machine this is, and which of its boots.
 *
 * The machine's own id (/etc/machine-id) is confidential (machine-id(5)), so reports have one
 * derived from it, the same in all of them: that of sd_id128_get_machine_app_specific(), with
 * MACHINE_ID_APPLICATION.
 */
#ifndef HOST_MACHINE_ID_H
#define HOST_MACHINE_ID_H

#define MACHINE_ID_PATH "/etc/machine-id"
#define BOOT_ID_PATH	"/proc/sys/kernel/random/boot_id"

/* `systemd-id128 machine-id --app-specific` takes it. */
#define MACHINE_ID_APPLICATION "7d0b6f0e2c5b4a4f9d3ce1b86a4f52c7"

/* 32 hexadecimal digits each; "": unknown. */
struct machine_id {
	char machine[33], boot[33];
};

/* The paths are the above, or those of a test. */
void machine_id_read(struct machine_id *ret, const char *machine, const char *boot);

#endif
