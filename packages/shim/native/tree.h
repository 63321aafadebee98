/*
 * The tree below this process: who is in it, and signals to all of it.
 *
 * This process is a child subreaper, so every descendant stays reachable from it through
 * /proc/PID/task/TID/children, however often it forks or starts a new session. A process is signalled through
 * a pidfd, and only after its parent was seen to be one of ours after the pidfd was opened: a reused
 * pid is somebody else's child (O5, T2).
 */
#ifndef CLF_TREE_H
#define CLF_TREE_H

#include "json.h"
#include "sys.h"

struct proc_stat {
	pid_t pid;
	pid_t ppid;
	pid_t pgid;
	pid_t sid;
	char state;
	u64 start_ticks;
	char comm[17];
};

/* Parses the text of /proc/PID/stat. Pure, and fuzzed: comm may hold anything, parentheses and newlines too. */
bool proc_stat_parse(const char *text, size_t length, struct proc_stat *stat);
int proc_stat_read(pid_t pid, struct proc_stat *stat);

struct tree {
	struct proc_stat *members;
	size_t count;
	size_t capacity;
	/* Who was signalled or remembered. */
	struct proc_stat *signalled;
	size_t signalled_count;
	size_t signalled_capacity;
};

/* Fills members with every living descendant (zombies left out), parents before children. Returns 0 or -errno. */
int tree_scan(struct tree *tree);
/* As tree_scan, but leaves out the subtrees of direct children for which skip says so. */
int tree_scan_except(struct tree *tree, bool (*skip)(pid_t child, void *context), void *context);
/* Signals each member of the last scan but those of group `except` (0: none); returns how many for the first time. */
size_t tree_signal(struct tree *tree, int signal_number, pid_t except);
/* Remembers the members of `seen` outside group `except`; returns how many were not known: each is counted once. */
size_t tree_remember(struct tree *memory, const struct tree *seen, pid_t except);
/* Members whose session is not `session`: they left the run's session (T4). */
size_t tree_outside_session(const struct tree *tree, pid_t session);
/* Writes at most LISTED_PROCESSES_MAX members as [{"pid","startTicks","comm"}]. */
void tree_json(const struct tree *tree, struct json *json, const char *key);
void tree_free(struct tree *tree);

#endif
