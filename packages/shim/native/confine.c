/*
 * See confine.h. Stages: the ruleset with all rights that this kernel knows → a rule per grant → privileges given up →
 * the domain is entered. Rights that a newer kernel brings are used where they are there; those to read files and list
 * directories are as old as Landlock itself (Linux 5.13), so what a caller must not read is never a matter of versions.
 */
#include "confine.h"

#include "filter.h"
#include "rawcall.h"
#include "shield.h"

#include <errno.h>
#include <fcntl.h>
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
/*
 * What root keeps in a shield: chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service, setfcap. With these it
 * works on files as root does, and makes user namespaces in which it is root (the last one). Not among them are those that open files past the mounts that cover them (dac_read_search), mount,
 * trace, or reach the kernel and its devices.
 */
#define CAPABILITIES_IN_SHIELD 0x800004fbu

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

long landlock_version(void)
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

/*
 * What a shield refuses beside the mounts: looking into processes outside comes with any domain, signals and abstract sockets are
 * named. Files are left to the mounts. A domain that handles files forbids all mounting, also in a namespace of the command's
 * own, which is how programs confine their own children; so files are handled only where the kernel (before Linux 6.12)
 * offers nothing else to make a domain of, and then all of them are granted.
 */
static struct ruleset shield_rights(long version)
{
	struct ruleset rules = {0};
	rules.scoped = version >= 6 ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0;
	rules.fs = version >= 6 ? 0 : all_rights(version).fs;
	return rules;
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

static long grant_everything(long set, u64 known)
{
	long root = rawcall(SYS_openat, AT_FDCWD, raw_arg("/"), O_PATH | O_CLOEXEC, 0);
	if (root < 0)
		return root;
	long result = add_rule(set, known, root);
	(void)rawcall(SYS_close, root, 0, 0, 0);
	return result;
}

/* Exec gives root all capabilities back, but not to a process that can gain no privileges. */
static long give_up_privileges(u32 capabilities)
{
	long result = rawcall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
	struct capability_header header = {.version = CAPABILITIES_V3};
	/* The first 32 and the rest. */
	struct capabilities own[2] = {{0}};
	if (result == 0)
		result = rawcall(SYS_capget, raw_arg(&header), raw_arg(own), 0, 0);
	if (result < 0)
		return result;
	const u32 kept = own[0].permitted & capabilities;
	own[0] = (struct capabilities){.effective = kept, .permitted = kept};
	own[1] = (struct capabilities){0};
	return rawcall(SYS_capset, raw_arg(&header), raw_arg(own), 0, 0);
}

static long enter_domain(const struct spawn *spawn)
{
	long version = landlock_version();
	if (version < 0)
		return version;
	/* Without the right to move files between directories, which the first version does not know, too much would break. */
	if (!spawn->confined && version < 2)
		return -EOPNOTSUPP;
	struct ruleset rules = spawn->confined ? all_rights(version) : shield_rights(version);
	/* Fields that an older kernel does not know are zero, which it accepts. */
	long set = rawcall(NR_LANDLOCK_CREATE_RULESET, raw_arg(&rules), sizeof rules, 0, 0);
	if (set < 0)
		return set;
	long result = 0;
	if (spawn->confined)
		result = add_grants(set, spawn, rules.fs);
	else if (rules.fs)
		result = grant_everything(set, rules.fs);
	if (result == 0)
		result = rawcall(NR_LANDLOCK_RESTRICT_SELF, set, 0, 0, 0);
	(void)rawcall(SYS_close, set, 0, 0, 0);
	return result;
}

long confine_self(const struct spawn *spawn)
{
	long result = give_up_privileges(spawn->confined ? CAPABILITY_DAC_READ_SEARCH : CAPABILITIES_IN_SHIELD);
	if (result == 0 && (spawn->confined || (spawn->shield_asked & SHIELD_DOMAIN)))
		result = enter_domain(spawn);
	if (result == 0 && spawn->shield_asked && rawcall(SYS_geteuid, 0, 0, 0, 0) == 0)
		result = filter_self();
	return result;
}
