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

/* The kernel's PF_FORKNOEXEC: forked, and still the same program. */
#define FLAG_FORK_NO_EXEC 0x40

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

/* Fields 4 to 22: ppid, pgrp, session, tty, tpgid, flags, …, the start time. */
static bool parse_fields(const char *at, const char *end, struct proc_stat *stat)
{
	i64 number = 0;
	for (int field = 4; field <= 22; field++) {
		if (!parse_number(&at, end, &number))
			return false;
		switch (field) {
		case 4: stat->ppid = (pid_t)number; break;
		case 5: stat->pgid = (pid_t)number; break;
		case 6: stat->sid = (pid_t)number; break;
		case 9: stat->did_exec = !((u64)number & FLAG_FORK_NO_EXEC); break;
		case 22: stat->start_ticks = (u64)number; break;
		default: break;
		}
	}
	return true;
}

/* "pid (comm) S ppid pgrp session …". comm ends at the last parenthesis. */
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
	return parse_fields(close_at + 3, end, stat);
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

static bool push(struct tree *tree, const struct proc_stat *item)
{
	if (tree->count == tree->capacity) {
		size_t grown = tree->capacity ? tree->capacity * 2 : 32;
		struct proc_stat *moved = realloc(tree->members, grown * sizeof *moved);
		if (!moved)
			return false;
		tree->members = moved;
		tree->capacity = grown;
	}
	tree->members[tree->count++] = *item;
	return true;
}

static int add_child(struct tree *tree, pid_t pid, pid_t parent, bool (*skip)(pid_t))
{
	struct proc_stat child;
	if (skip && skip(pid))
		return 0;
	if (proc_stat_read(pid, &child) != 0 || child.state == 'Z' || child.state == 'X')
		return 0;
	if (child.ppid != parent)
		return 0; /* moved or reused since; a later scan sees where it is */
	return push(tree, &child) ? 0 : -ENOMEM;
}

/* A children file has no bound: it is read in pieces, and a number may be cut between two of them. */
static int add_children_of_task(struct tree *tree, const char *path, pid_t parent, bool (*skip)(pid_t))
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int result = 0;
	pid_t pid = 0;
	ssize_t n;
	while (result == 0 && (n = read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < n && result == 0; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = pid * 10 + (text[i] - '0');
			} else if (pid > 0) {
				result = add_child(tree, pid, parent, skip);
				pid = 0;
			}
		}
	close(fd);
	if (pid > 0 && result == 0)
		result = add_child(tree, pid, parent, skip);
	return result;
}

static int add_children(struct tree *tree, pid_t parent, bool (*skip)(pid_t))
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
		result = add_children_of_task(tree, path, parent, skip);
		if (result == -ENOENT || result == -ESRCH)
			result = 0;
	}
	closedir(tasks);
	return result;
}

int tree_scan_except(struct tree *tree, bool (*skip)(pid_t))
{
	tree->count = 0;
	int result = add_children(tree, getpid(), skip);
	for (size_t i = 0; result == 0 && i < tree->count; i++)
		result = add_children(tree, tree->members[i].pid, NULL);
	return result;
}

int tree_scan(struct tree *tree)
{
	return tree_scan_except(tree, NULL);
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

static bool signal_member(const struct proc_stat *process, int signal_number)
{
	int pidfd = sys_pidfd_open(process->pid);
	if (pidfd < 0) /* Out of descriptors: our own child cannot have been reused, we have not reaped it. */
		return pidfd != -ESRCH && process->ppid == getpid() && kill(process->pid, signal_number) == 0;
	bool sent = still_ours(process) && sys_pidfd_send(pidfd, signal_number) == 0;
	close(pidfd);
	return sent;
}

size_t tree_signal(struct tree *tree, int signal_number, pid_t group)
{
	size_t fresh = 0;
	for (size_t i = 0; i < tree->count; i++) {
		const struct proc_stat *process = &tree->members[i];
		bool had_it = (group && process->pgid == group) ||
			      seen_has(&tree->signalled, process->pid, process->start_ticks);
		if (had_it && signal_number != SIGKILL)
			continue;
		if (!signal_member(process, signal_number))
			continue;
		fresh += seen_add(&tree->signalled, process->pid, process->start_ticks);
		if (!group || process->pgid != group)
			tree->reached += seen_add(&tree->counted, process->pid, process->start_ticks);
	}
	return fresh;
}

bool tree_signal_one(struct tree *tree, size_t index, int signal_number)
{
	const struct proc_stat *process = &tree->members[index];
	if (!signal_member(process, signal_number))
		return false;
	tree->reached += seen_add(&tree->counted, process->pid, process->start_ticks);
	return true;
}

void tree_next_signal(struct tree *tree)
{
	seen_clear(&tree->signalled);
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
	seen_free(&tree->signalled);
	seen_free(&tree->counted);
	*tree = (struct tree){0};
}
