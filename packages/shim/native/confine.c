/*
 * See confine.h. Stages: the ruleset with all rights that this kernel knows → a rule per grant → privileges given up →
 * the domain is entered. Rights that a newer kernel brings are used where they are there; those to read files and list
 * directories are as old as Landlock itself (Linux 5.13), so what a caller must not read is never a matter of versions.
 */
#include "confine.h"

#include "json.h"
#include "rawcall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/* Headers are often older than the kernel they meet: what is used of it is written down here. */
#define NR_OPENAT2 437
#define NR_LANDLOCK_CREATE_RULESET 444
#define NR_LANDLOCK_ADD_RULE 445
#define NR_LANDLOCK_RESTRICT_SELF 446
#define RULESET_VERSION 1
#define RULE_PATH_BENEATH 1
#define NO_MAGIC_LINKS 2u
#define NO_LINKS 4u
#define CAPABILITIES_V3 0x20080522u
#define CAPABILITY_DAC_READ_SEARCH (1u << 2)

#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
/* Remove and make, each by its kind. */
#define FS_FIRST ((1ull << 13) - 1)
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
/* All that can be granted on a file; the others are a directory's. */
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NET_BIND_AND_CONNECT 3ull
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS 3ull

struct ruleset {
	u64 fs, net, scoped;
};

struct path_rule {
	u64 rights;
	i32 fd;
} __attribute__((packed));

struct open_way {
	u64 flags, mode, resolve;
};

struct capability_header {
	u32 version;
	i32 pid;
};

struct capabilities {
	u32 effective, permitted, inheritable;
};

static long landlock_version(void)
{
	return rawcall(NR_LANDLOCK_CREATE_RULESET, 0, 0, RULESET_VERSION, 0);
}

static struct ruleset all_rights(long version)
{
	struct ruleset all = {.fs = FS_FIRST};
	all.fs |= version >= 2 ? FS_REFER : 0;
	all.fs |= version >= 3 ? FS_TRUNCATE : 0;
	all.net = version >= 4 ? NET_BIND_AND_CONNECT : 0;
	all.fs |= version >= 5 ? FS_IOCTL_DEV : 0;
	all.scoped = version >= 6 ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0;
	return all;
}

static u64 rights_of(u8 access)
{
	switch (access) {
	case ACCESS_EXECUTE: return FS_READ_FILE | FS_READ_DIR | FS_EXECUTE;
	case ACCESS_WRITE: return FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
	default: return FS_READ_FILE | FS_READ_DIR;
	}
}

static long add_rule(long set, u64 rights, long fd)
{
	struct path_rule rule = {.rights = rights, .fd = (i32)fd};
	long result = rawcall(NR_LANDLOCK_ADD_RULE, set, RULE_PATH_BENEATH, raw_arg(&rule), 0);
	if (result != -EINVAL || !(rights & ~FS_OF_FILES))
		return result;
	/* It is a file, which has no directory's rights: asking costs less than looking first. */
	rule.rights &= FS_OF_FILES;
	return rawcall(NR_LANDLOCK_ADD_RULE, set, RULE_PATH_BENEATH, raw_arg(&rule), 0);
}

/*
 * A path that has to be there was resolved by whoever asked for it: a link that has come into it since leads somewhere
 * that was not meant, and is an error.
 */
static long open_grant(const struct grant *grant)
{
	const int flags = O_PATH | O_CLOEXEC;
	if (grant->optional)
		return rawcall(SYS_openat, AT_FDCWD, raw_arg(grant->path), flags, 0);
	struct open_way how = {.flags = (u64)flags, .resolve = NO_LINKS | NO_MAGIC_LINKS};
	return rawcall(NR_OPENAT2, AT_FDCWD, raw_arg(grant->path), raw_arg(&how), sizeof how);
}

static long add_grants(long set, const struct spawn *spawn, u64 known)
{
	for (size_t i = 0; i < spawn->grant_count; i++) {
		const struct grant *grant = &spawn->grants[i];
		long fd = open_grant(grant);
		if (fd < 0 && grant->optional)
			continue;
		if (fd < 0)
			return fd;
		long result = add_rule(set, rights_of(grant->access) & known, fd);
		(void)rawcall(SYS_close, fd, 0, 0, 0);
		if (result < 0)
			return result;
	}
	/* Its own terminal by name (/dev/stdin, `tty`), and no other of the same user. */
	return spawn->pty ? add_rule(set, rights_of(ACCESS_WRITE) & known, 0) : 0;
}

/* Exec gives root all capabilities back, but not to a process that can gain no privileges. */
static long give_up_privileges(void)
{
	long result = rawcall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
	struct capability_header header = {.version = CAPABILITIES_V3};
	/* The first 32 and the rest. */
	struct capabilities own[2] = {{0}};
	if (result == 0)
		result = rawcall(SYS_capget, raw_arg(&header), raw_arg(own), 0, 0);
	if (result < 0)
		return result;
	const u32 kept = own[0].permitted & CAPABILITY_DAC_READ_SEARCH;
	own[0] = (struct capabilities){.effective = kept, .permitted = kept};
	own[1] = (struct capabilities){0};
	return rawcall(SYS_capset, raw_arg(&header), raw_arg(own), 0, 0);
}

long confine_self(const struct spawn *spawn)
{
	long version = landlock_version();
	if (version < 0)
		return version;
	struct ruleset all = all_rights(version);
	/* Fields that an older kernel does not know are zero, which it accepts. */
	long set = rawcall(NR_LANDLOCK_CREATE_RULESET, raw_arg(&all), sizeof all, 0, 0);
	if (set < 0)
		return set;
	long result = add_grants(set, spawn, all.fs);
	if (result == 0)
		result = give_up_privileges();
	if (result == 0)
		result = rawcall(NR_LANDLOCK_RESTRICT_SELF, set, 0, 0, 0);
	(void)rawcall(SYS_close, set, 0, 0, 0);
	return result;
}

int confinement_main(void)
{
	const struct spawn nothing = {.confined = true};
	long version = landlock_version();
	long result = version < 0 ? version : confine_self(&nothing);
	char text[256];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_i64(&json, "landlock", result < 0 ? 0 : version);
	if (result < 0) {
		json_i64(&json, "errno", -result);
		json_string(&json, "message", strerror((int)-result));
	}
	json_close(&json, '}');
	return printf("%.*s\n", (int)json.length, text) < 0;
}
