/*
 * `sweep LEASE UID TICKS`: ends the processes that carry exactly this lease id in their environment, belong to this
 * user, and started no earlier than this (T8). Each is pinned by a pidfd, then checked, then signalled: never a
 * guess by name. What cleared its environment cannot be proven ours, and is left alone.
 * Prints {"found","killed","left"}; exit status 0 when nothing is left.
 */
#include "sweep.h"

#include "limits.h"
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct wanted {
	char entry[128];
	size_t entry_length;
	uid_t uid;
	u64 not_before;
};

static bool carries(pid_t pid, const struct wanted *wanted)
{
	static char environment[1u << 20];
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	ssize_t length = read_small(AT_FDCWD, path, environment, sizeof environment);
	for (const char *at = environment; length > 0 && at < environment + length; at += strlen(at) + 1)
		if (strcmp(at, wanted->entry) == 0)
			return true;
	return false;
}

static bool is_wanted(pid_t pid, const struct wanted *wanted)
{
	struct proc_stat seen;
	struct stat owner;
	char path[32];
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	return proc_stat_read(pid, &seen) == 0 && seen.state != 'Z' && seen.start_ticks >= wanted->not_before &&
	       stat(path, &owner) == 0 && owner.st_uid == wanted->uid && carries(pid, wanted);
}

/* One pass over the process table; returns how many were found. */
static u64 pass(const struct wanted *wanted, u64 *killed)
{
	DIR *table = opendir("/proc");
	u64 found = 0;
	const struct dirent *entry;
	while (table && (entry = readdir(table))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid <= 1 || pid == getpid() || !is_wanted(pid, wanted))
			continue;
		found++;
		int pidfd = sys_pidfd_open(pid);
		if (pidfd < 0)
			continue;
		if (is_wanted(pid, wanted) && sys_pidfd_send(pidfd, SIGKILL) == 0)
			(*killed)++;
		close(pidfd);
	}
	if (table)
		closedir(table);
	return found;
}

int sweep_main(const char *lease_id, const char *uid, const char *not_before_ticks)
{
	struct wanted wanted = {.uid = (uid_t)strtoul(uid, NULL, 10), .not_before = strtoull(not_before_ticks, NULL, 10)};
	int length = snprintf(wanted.entry, sizeof wanted.entry, "CLAWDFATHER_LEASE_ID=%s", lease_id);
	if (strlen(lease_id) < 8 || length >= (int)sizeof wanted.entry) {
		fprintf(stderr, "sweep: not a lease id\n");
		return 2;
	}
	u64 first = 0, left = 0, killed = 0;
	u64 until = monotonic_ms() + SWEEP_MS;
	do {
		left = pass(&wanted, &killed);
		first = first ? first : left;
		if (left > 0)
			nanosleep(&(struct timespec){.tv_nsec = KILL_REPEAT_MS * 1000000L}, NULL);
	} while (left > 0 && monotonic_ms() < until);
	printf("{\"found\":%llu,\"killed\":%llu,\"left\":%llu}\n", (unsigned long long)first, (unsigned long long)killed,
	       (unsigned long long)left);
	return left > 0 ? 1 : 0;
}
