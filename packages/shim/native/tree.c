/* See tree.h. */
#include "tree.h"

#include "limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse_number(const char **at, const char *end, i64 *value)
{
	while (*at < end && **at == ' ')
		(*at)++;
	bool negative = *at < end && **at == '-';
	if (negative)
		(*at)++;
	if (*at == end || **at < '0' || **at > '9')
		return false;
	u64 number = 0;
	for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
		number = number * 10 + (u64)(**at - '0');
	*value = (i64)(negative ? 0 - number : number);
	return true;
}

/* "pid (comm) S ppid pgrp session …"; the start time is field 22. comm ends at the last parenthesis. */
bool proc_stat_parse(const char *text, size_t length, struct proc_stat *stat)
{
	const char *end = text + length;
	const char *open = memchr(text, '(', length);
	const char *close_at = NULL;
	for (const char *p = end; p > text && !close_at; p--)
		if (p[-1] == ')')
			close_at = p - 1;
	if (!open || !close_at || close_at < open || end - close_at < 4)
		return false;
	const char *at = text;
	i64 number = 0;
	if (!parse_number(&at, open, &number))
		return false;
	stat->pid = (pid_t)number;
	size_t comm = (size_t)(close_at - open - 1);
	if (comm > sizeof stat->comm - 1)
		comm = sizeof stat->comm - 1;
	memcpy(stat->comm, open + 1, comm);
	stat->comm[comm] = '\0';
	stat->state = close_at[2];
	at = close_at + 3;
	for (int field = 4; field <= 22; field++) {
		if (!parse_number(&at, end, &number))
			return false;
		if (field == 4)
			stat->ppid = (pid_t)number;
		else if (field == 5)
			stat->pgid = (pid_t)number;
		else if (field == 6)
			stat->sid = (pid_t)number;
		else if (field == 22)
			stat->start_ticks = (u64)number;
	}
	return true;
}

int proc_stat_read(pid_t pid, struct proc_stat *stat)
{
	char path[32], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	ssize_t length = read_small(AT_FDCWD, path, text, sizeof text);
	if (length < 0)
		return (int)length;
	return proc_stat_parse(text, (size_t)length, stat) ? 0 : -EIO;
}

static bool push(struct proc_stat **list, size_t *count, size_t *capacity, const struct proc_stat *item)
{
	if (*count == *capacity) {
		size_t grown = *capacity ? *capacity * 2 : 32;
		struct proc_stat *moved = realloc(*list, grown * sizeof *moved);
		if (!moved)
			return false;
		*list = moved;
		*capacity = grown;
	}
	(*list)[(*count)++] = *item;
	return true;
}

/* One children file can be long in a fork storm; what does not fit is found by the next scan. */
static int add_children_of_task(struct tree *tree, const char *path, pid_t parent,
				bool (*skip)(pid_t, void *), void *context)
{
	char text[16384];
	ssize_t length = read_small(AT_FDCWD, path, text, sizeof text);
	if (length < 0)
		return (int)length;
	const char *at = text, *end = text + length;
	i64 pid;
	while (parse_number(&at, end, &pid)) {
		struct proc_stat child;
		if (at == end && length == (ssize_t)sizeof text - 1)
			break; /* the last number may be cut */
		if (skip && skip((pid_t)pid, context))
			continue;
		if (proc_stat_read((pid_t)pid, &child) != 0 || child.state == 'Z' || child.state == 'X')
			continue;
		if (child.ppid != parent)
			continue; /* moved or reused since; a later scan sees where it is */
		if (!push(&tree->members, &tree->count, &tree->capacity, &child))
			return -ENOMEM;
	}
	return 0;
}

static int add_children(struct tree *tree, pid_t parent, bool (*skip)(pid_t, void *), void *context)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
	DIR *tasks = opendir(path);
	if (!tasks)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	int result = 0;
	const struct dirent *entry;
	while (result == 0 && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%.10s/children", (int)parent, entry->d_name);
		result = add_children_of_task(tree, path, parent, skip, context);
		if (result == -ENOENT || result == -ESRCH)
			result = 0;
	}
	closedir(tasks);
	return result;
}

int tree_scan_except(struct tree *tree, bool (*skip)(pid_t, void *), void *context)
{
	tree->count = 0;
	int result = add_children(tree, getpid(), skip, context);
	for (size_t i = 0; result == 0 && i < tree->count; i++)
		result = add_children(tree, tree->members[i].pid, NULL, NULL);
	return result;
}

int tree_scan(struct tree *tree)
{
	return tree_scan_except(tree, NULL, NULL);
}

static bool first_time(struct tree *tree, const struct proc_stat *process)
{
	for (size_t i = tree->signalled_count; i-- > 0;)
		if (tree->signalled[i].pid == process->pid && tree->signalled[i].start_ticks == process->start_ticks)
			return false;
	return push(&tree->signalled, &tree->signalled_count, &tree->signalled_capacity, process);
}

/* The pidfd pins a process; that it is ours is checked after the pinning: same start, and a parent of ours. */
static bool still_ours(const struct proc_stat *seen)
{
	struct proc_stat now, parent;
	if (proc_stat_read(seen->pid, &now) != 0 || now.start_ticks != seen->start_ticks)
		return false;
	if (now.ppid == getpid())
		return true;
	return now.ppid == seen->ppid && proc_stat_read(now.ppid, &parent) == 0 && parent.start_ticks <= now.start_ticks;
}

size_t tree_signal(struct tree *tree, int signal_number, pid_t except)
{
	size_t fresh = 0;
	for (size_t i = 0; i < tree->count; i++) {
		const struct proc_stat *process = &tree->members[i];
		if (except && process->pgid == except)
			continue;
		int pidfd = sys_pidfd_open(process->pid);
		if (pidfd < 0) {
			/* Out of descriptors: our own child cannot have been reused, we have not reaped it. */
			if (pidfd != -ESRCH && process->ppid == getpid() && kill(process->pid, signal_number) == 0)
				fresh += first_time(tree, process);
			continue;
		}
		if (still_ours(process) && sys_pidfd_send(pidfd, signal_number) == 0)
			fresh += first_time(tree, process);
		close(pidfd);
	}
	return fresh;
}

size_t tree_remember(struct tree *memory, const struct tree *seen, pid_t except)
{
	size_t fresh = 0;
	for (size_t i = 0; i < seen->count; i++)
		if (!except || seen->members[i].pgid != except)
			fresh += first_time(memory, &seen->members[i]);
	return fresh;
}

size_t tree_outside_session(const struct tree *tree, pid_t session)
{
	size_t count = 0;
	for (size_t i = 0; i < tree->count; i++)
		count += tree->members[i].sid != session;
	return count;
}

void tree_json(const struct tree *tree, struct json *json, const char *key)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < tree->count && i < LISTED_PROCESSES_MAX; i++) {
		json_open(json, NULL, '{');
		json_u64(json, "pid", (u64)tree->members[i].pid);
		json_u64(json, "startTicks", tree->members[i].start_ticks);
		json_string(json, "comm", tree->members[i].comm);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void tree_free(struct tree *tree)
{
	free(tree->members);
	free(tree->signalled);
	*tree = (struct tree){0};
}
