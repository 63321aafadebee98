/*
 * What a killed shim leaves (T8): spawnd is its heir, so every child of spawnd that is no shim is to be ended.
 * It is killed again and again until nothing is left, or SWEEP_MS are over: then the rest is counted and reported.
 */
#include "spawnd.h"

#include <signal.h>
#include <stdlib.h>

static struct {
	bool active;
	u64 until_ms;
	u64 swept;
	u64 left;
	struct tree tree;
	/* pids of living shims, sorted: a thousand children are each looked up */
	pid_t *shims;
	size_t shim_count;
} orphans;

static int compare_pids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;
	return (left > right) - (left < right);
}

static bool is_shim(pid_t pid)
{
	return bsearch(&pid, orphans.shims, orphans.shim_count, sizeof pid, compare_pids) != NULL;
}

static bool list_shims(const struct spawnd *spawnd)
{
	pid_t *pids = realloc(orphans.shims, (spawnd->run_count + 1) * sizeof *pids);
	if (!pids)
		return false;
	orphans.shims = pids;
	orphans.shim_count = 0;
	for (size_t i = 0; i < spawnd->run_count; i++)
		if (!spawnd->runs[i]->gone)
			pids[orphans.shim_count++] = spawnd->runs[i]->shim;
	qsort(pids, orphans.shim_count, sizeof *pids, compare_pids);
	return true;
}

void orphans_begin(void)
{
	if (!orphans.active)
		orphans.swept = orphans.left = 0;
	orphans.active = true;
	orphans.until_ms = monotonic_ms() + SWEEP_MS;
}

bool orphans_turn(struct spawnd *spawnd)
{
	if (!orphans.active)
		return false;
	/* Without the list of shims nobody is touched; without /proc nobody is found. Both are tried again. */
	bool known = list_shims(spawnd) && tree_scan_except(&orphans.tree, is_shim) == 0;
	bool over = monotonic_ms() >= orphans.until_ms;
	if (known && orphans.tree.count > 0 && !over) {
		(void)tree_signal(&orphans.tree, SIGKILL, 0);
		orphans.swept = orphans.tree.reached;
		return true;
	}
	if (!known && !over)
		return true;
	orphans.active = false;
	orphans.left = orphans.tree.count;
	tree_free(&orphans.tree);
	free(orphans.shims);
	orphans.shims = NULL;
	orphans.shim_count = 0;
	return false;
}

u64 orphans_swept(void)
{
	return orphans.swept;
}

u64 orphans_left(void)
{
	return orphans.left;
}
