/*
 * See shield.h: the process that makes a namespace, and hands it over as descriptors.
 *
 * It is a process of its own for two reasons: a namespace is entered by whoever makes it, and a path on a dead mount must
 * hang neither spawnd nor a shim (S2). Where we are root it is a mount namespace; else, and where root is not what it
 * seems, it lies in a user namespace in which every id means what it means outside.
 */
#include "shield.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHIELD_FDS_MAX 3

static int map_own_id(const char *path, unsigned long id)
{
	char line[64];
	snprintf(line, sizeof line, "%lu %lu 1", id, id);
	return write_small(AT_FDCWD, path, line);
}

/* Whether the group that we are in, or one below it, may be the user's own: systemd hands some over. */
static bool owns_cgroups(void)
{
	char line[PATH_MAX], path[PATH_MAX + 64];
	FILE *groups = fopen("/proc/self/cgroup", "re");
	const char *own = NULL;
	while (groups && !own && fgets(line, sizeof line, groups))
		if (strncmp(line, "0::/", 4) == 0)
			own = line + 3;
	if (groups)
		fclose(groups);
	if (!own)
		return false;
	line[strcspn(line, "\n")] = '\0';
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	bool owns = own[1] == '\0'; /* all of them are below it */
	for (size_t i = 0; i < sizeof mounts / sizeof *mounts && !owns; i++) {
		snprintf(path, sizeof path, "%s%s/cgroup.procs", mounts[i], own);
		owns = access(path, W_OK) == 0;
	}
	return owns;
}

/*
 * Whoever writes to control groups freezes and ends processes that no signal reaches. Steps make the mounted ones read-only; a command
 * that had a cgroup namespace of its own could mount them anew. The limit holds for this user namespace and all below it. It is set
 * only where there is something to gain: bubblewrap with --unshare-all makes such a namespace. Where /proc/sys is read-only, as in
 * containers, it cannot be set.
 */
static void forbid_cgroup_namespaces(void)
{
	if (owns_cgroups())
		(void)write_small(AT_FDCWD, "/proc/sys/user/max_cgroup_namespaces", "0");
}

static int enter_user_namespace(void)
{
	const unsigned long uid = geteuid(), gid = getegid();
	/* Whoever cannot be looked into has no right to its own files in /proc. */
	if (prctl(PR_SET_DUMPABLE, 1) != 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return -errno;
	int result = write_small(AT_FDCWD, "/proc/self/setgroups", "deny");
	if (result >= 0)
		result = map_own_id("/proc/self/uid_map", uid);
	if (result >= 0)
		result = map_own_id("/proc/self/gid_map", gid);
	if (result >= 0)
		forbid_cgroup_namespaces();
	return result < 0 ? result : 0;
}

/* Sets *owned when there is a user namespace, too. */
static int enter_namespace(bool *owned)
{
	*owned = false;
	if (unshare(CLONE_NEWNS) != 0) {
		if (errno != EPERM)
			return -errno;
		*owned = true;
		int result = enter_user_namespace();
		if (result < 0)
			return result;
	}
	/* What is mounted on the machine later comes in, but for what is read-only; nothing goes out. */
	return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 ? 0 : -errno;
}

static void hand_over(int to, int error, const int *fds, size_t count)
{
	i32 said = error;
	struct iovec part = {.iov_base = &said, .iov_len = sizeof said};
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(SHIELD_FDS_MAX * sizeof(int))] = {0};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (count > 0) {
		message.msg_control = room;
		/* The C libraries disagree about the types. */
		message.msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof(int));
		struct cmsghdr *head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = (socklen_t)CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(head), fds, count * sizeof(int));
	}
	(void)sendmsg(to, &message, MSG_NOSIGNAL);
}

/* In this order: mounts, terminals (or mounts again, where there are none of its own), user namespace. */
static _Noreturn void make_and_tell(const u8 *spec, size_t length, int to)
{
	bool owned = false;
	int terminals = -1, fds[SHIELD_FDS_MAX];
	int result = enter_namespace(&owned);
	if (result == 0)
		result = shield_steps(spec, length, &terminals);
	fds[0] = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	fds[1] = terminals >= 0 ? terminals : fds[0];
	fds[2] = owned ? open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC) : -1;
	if (result == 0 && (fds[0] < 0 || (owned && fds[2] < 0)))
		result = -ENOSYS;
	hand_over(to, result, fds, result < 0 ? 0 : owned ? 3 : 2);
	_exit(0);
}

static int take_over(int from, struct shield *shield, bool has_terminals)
{
	i32 said = -EPIPE;
	struct iovec part = {.iov_base = &said, .iov_len = sizeof said};
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(SHIELD_FDS_MAX * sizeof(int))];
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != (ssize_t)sizeof said)
		return -EPIPE;
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	if (said < 0 || !head)
		return said < 0 ? said : -EPROTO;
	int fds[SHIELD_FDS_MAX] = {-1, -1, -1};
	memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	*shield = (struct shield){.mount_fd = fds[0], .terminals_fd = fds[1], .user_fd = fds[2]};
	if (!has_terminals) {
		close(shield->terminals_fd);
		shield->terminals_fd = -1;
	}
	return 0;
}

static bool has_terminals(const u8 *spec, size_t length)
{
	struct step *step = malloc(sizeof *step);
	struct reader reader = {.at = spec + 1, .left = length - 1};
	bool found = false;
	while (step && shield_next(&reader, step))
		found |= step->kind == STEP_TERMINALS;
	free(step);
	return found;
}

int shield_make(const u8 *spec, size_t length, u32 limit_ms, struct shield *shield)
{
	*shield = NO_SHIELD;
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	pid_t maker = fork();
	if (maker == 0)
		make_and_tell(spec, length, pair[1]);
	int result = maker < 0 ? -errno : 0;
	close(pair[1]);
	struct pollfd waiting = {.fd = pair[0], .events = POLLIN};
	const u64 until_ms = after_ms(monotonic_ms(), limit_ms);
	while (result == 0) {
		u64 now = monotonic_ms();
		int ready = poll(&waiting, 1, now >= until_ms ? 0 : (int)(until_ms - now));
		if (ready > 0)
			break;
		if (ready == 0)
			result = -ETIMEDOUT;
		else if (errno != EINTR)
			result = -errno;
	}
	if (result == 0)
		result = take_over(pair[0], shield, has_terminals(spec, length));
	close(pair[0]);
	if (maker > 0 && result == -ETIMEDOUT)
		(void)kill(maker, SIGKILL); /* it may hang in the kernel: whoever reaps later finds it */
	else if (maker > 0)
		while (waitpid(maker, NULL, 0) < 0 && errno == EINTR)
			continue;
	return result;
}
