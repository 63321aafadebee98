/* See cgroup.h. */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* CGROUP2_SUPER_MAGIC: any other file system would take our directory and limit nothing. */
#define CGROUP2_MAGIC 0x63677270

static int set_limit(const struct cgroup *cgroup, const char *name, u64 limit)
{
	char value[24];
	if (!limit)
		return 0;
	snprintf(value, sizeof value, "%llu", (unsigned long long)limit);
	return write_small(cgroup->dir_fd, name, value);
}

static int open_made(struct cgroup *cgroup, u64 memory_max, u64 pids_max)
{
	struct statfs fs;
	cgroup->dir_fd = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (cgroup->dir_fd < 0 || fstatfs(cgroup->dir_fd, &fs) != 0)
		return -errno;
	if ((u64)fs.f_type != CGROUP2_MAGIC)
		return -ENOTSUP;
	int failed = set_limit(cgroup, "memory.max", memory_max);
	return failed ? failed : set_limit(cgroup, "pids.max", pids_max);
}

int cgroup_make(struct cgroup *cgroup, const char *path, u64 memory_max, u64 pids_max)
{
	if (!path)
		return 0;
	cgroup->path = strdup(path);
	if (!cgroup->path)
		return -ENOMEM;
	int failed = mkdir(path, 0700) == 0 ? 0 : -errno;
	if (failed) {
		free(cgroup->path);
		cgroup->path = NULL;
		return failed;
	}
	failed = open_made(cgroup, memory_max, pids_max);
	if (failed)
		cgroup_remove(cgroup);
	return failed;
}

int cgroup_open_procs(const struct cgroup *cgroup)
{
	int fd = openat(cgroup->dir_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool cgroup_kill(const struct cgroup *cgroup)
{
	return cgroup->dir_fd >= 0 && write_small(cgroup->dir_fd, "cgroup.kill", "1") == 0;
}

bool cgroup_ran_out_of_memory(const struct cgroup *cgroup)
{
	char text[512];
	if (cgroup->dir_fd < 0 || read_small(cgroup->dir_fd, "memory.events", text, sizeof text) <= 0)
		return false;
	const char *at = strstr(text, "\noom_kill ");
	return at && strtoull(at + 10, NULL, 10) > 0;
}

void cgroup_remove(struct cgroup *cgroup)
{
	if (cgroup->dir_fd >= 0)
		close(cgroup->dir_fd);
	if (cgroup->path)
		(void)rmdir(cgroup->path); /* refused by the kernel while somebody is in it */
	free(cgroup->path);
	*cgroup = (struct cgroup){.dir_fd = -1};
}
