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
	uid_t uid;
	u64 not_before;
};

/* Each process is counted once, however often it is seen before it is gone. */
static struct seen found, killed;

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

static bool is_wanted(pid_t pid, const struct wanted *wanted, struct proc_stat *seen)
{
	struct stat owner;
	char path[32];
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	return proc_stat_read(pid, seen) == 0 && seen->state != 'Z' && seen->start_ticks >= wanted->not_before &&
	       stat(path, &owner) == 0 && owner.st_uid == wanted->uid && carries(pid, wanted);
}

/* True when the process was one of those looked for. */
static bool end_if_wanted(pid_t pid, const struct wanted *wanted)
{
	struct proc_stat first, again;
	if (!is_wanted(pid, wanted, &first))
		return false;
	seen_add(&found, pid, first.start_ticks);
	int pidfd = sys_pidfd_open(pid);
	if (pidfd < 0)
		return pidfd != -ESRCH;
	if (is_wanted(pid, wanted, &again) && again.start_ticks == first.start_ticks &&
	    sys_pidfd_send(pidfd, SIGKILL) == 0)
		seen_add(&killed, pid, first.start_ticks);
	close(pidfd);
	return true;
}

/* One pass over the process table; returns how many are still there, or -errno. */
static i64 pass(const struct wanted *wanted)
{
	DIR *table = opendir("/proc");
	if (!table)
		return -errno;
	i64 left = 0;
	const struct dirent *entry;
	while ((entry = readdir(table))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 1 && pid != getpid() && end_if_wanted(pid, wanted))
			left++;
	}
	closedir(table);
	return left;
}

int sweep_main(const char *lease_id, const char *uid_text, const char *not_before_ticks)
{
	struct wanted wanted = {0};
	u64 uid = 0;
	int length = snprintf(wanted.entry, sizeof wanted.entry, "CLAWDFATHER_LEASE_ID=%s", lease_id);
	if (strlen(lease_id) < 8 || length >= (int)sizeof wanted.entry || !parse_u64(uid_text, UINT32_MAX - 1, &uid) ||
	    !parse_u64(not_before_ticks, UINT64_MAX, &wanted.not_before)) {
		fprintf(stderr, "sweep: takes a lease id of 8 to 100 characters, a user id and a start time in ticks\n");
		return 2;
	}
	wanted.uid = (uid_t)uid;
	u64 until = monotonic_ms() + SWEEP_MS;
	i64 left = pass(&wanted);
	while (left > 0 && monotonic_ms() < until) {
		nanosleep(&(struct timespec){.tv_nsec = KILL_REPEAT_MS * 1000000L}, NULL);
		left = pass(&wanted);
	}
	if (left < 0) {
		fprintf(stderr, "sweep: the process table cannot be read: %s\n", strerror((int)-left));
		return 2;
	}
	printf("{\"found\":%zu,\"killed\":%zu,\"left\":%lld}\n", found.count, killed.count, (long long)left);
	return left > 0 ? 1 : 0;
}
