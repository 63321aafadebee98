/*
 * See shield.h: the namespaces that spawnd keeps, one for each description that it was asked for lately.
 *
 * A description that failed is not tried again at once: its runs try by themselves, and tell why they do not start.
 */
#include "shield.h"

#include <stdlib.h>
#include <string.h>

struct kept {
	u8 *spec;
	size_t length;
	struct shield shield;
	u64 used_ms;
	/* it could not be made; 0 */
	u64 failed_ms;
};

static struct kept cache[SHIELDS_KEPT_MAX];

static void drop(struct kept *kept)
{
	shield_close(&kept->shield);
	free(kept->spec);
	*kept = (struct kept){.shield = NO_SHIELD};
}

static struct kept *find(const u8 *spec, size_t length)
{
	for (size_t i = 0; i < SHIELDS_KEPT_MAX; i++)
		if (cache[i].spec && cache[i].length == length && memcmp(cache[i].spec, spec, length) == 0)
			return &cache[i];
	return NULL;
}

/* An empty place, or that of the one that was not asked for the longest. */
static struct kept *make_room(void)
{
	struct kept *oldest = &cache[0];
	for (size_t i = 0; i < SHIELDS_KEPT_MAX; i++) {
		if (!cache[i].spec)
			return &cache[i];
		if (cache[i].used_ms < oldest->used_ms)
			oldest = &cache[i];
	}
	drop(oldest);
	return oldest;
}

struct shield shield_cached(const u8 *spec, size_t length)
{
	const u64 now = monotonic_ms();
	struct kept *kept = find(spec, length);
	if (kept && kept->failed_ms && now - kept->failed_ms >= SHIELD_RETRY_MS) {
		drop(kept);
		kept = NULL;
	}
	if (kept) {
		kept->used_ms = now;
		return kept->failed_ms ? NO_SHIELD : kept->shield;
	}
	u8 *copy = malloc(length);
	if (!copy)
		return NO_SHIELD;
	memcpy(copy, spec, length);
	struct shield shield;
	int failed = shield_make(spec, length, SHIELD_MAKE_MS, &shield);
	kept = make_room();
	*kept = (struct kept){.spec = copy, .length = length, .shield = shield, .used_ms = now, .failed_ms = failed ? now : 0};
	return shield;
}
