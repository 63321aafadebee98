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
#include "seen.h"
#include "sys.h"

struct proc_stat {
	pid_t pid;
	pid_t ppid;
	pid_t pgid;
	pid_t sid;
	char state;
	/* it has become another program since it was forked */
	bool did_exec;
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
	/* who got the present signal */
	struct seen signalled;
	/* who was ever reached by a signal sent to it alone, and how many they are (T2) */
	struct seen counted;
	u64 reached;
};

/* Fills members with every living descendant (zombies left out), parents before children. Returns 0 or -errno. */
int tree_scan(struct tree *tree);
/* As tree_scan, but leaves out the subtrees of direct children for which skip says so. */
int tree_scan_except(struct tree *tree, bool (*skip)(pid_t child));
/*
 * Signals each member of the last scan that did not get this signal yet: of any but SIGKILL, which is repeated, a
 * process gets one, as some take a second for an order to hurry. `group` (0: none) has had it as a group.
 * Returns how many got it for the first time.
 */
size_t tree_signal(struct tree *tree, int signal_number, pid_t group);
/* One member of the last scan; counted once among those reached. False when it is gone or no longer ours. */
bool tree_signal_one(struct tree *tree, size_t index, int signal_number);
/* The next tree_signal is about another signal. */
void tree_next_signal(struct tree *tree);
/* Writes at most LISTED_PROCESSES_MAX members as [{"pid","startTicks","comm"}]. */
void tree_json(const struct tree *tree, struct json *json, const char *key);
void tree_free(struct tree *tree);

#endif
