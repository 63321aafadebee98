/* See seen.h. */
#include "seen.h"

#include <stdlib.h>
#include <string.h>

/* Linux has at most 2^22 pids, and 2^41 ticks are seven centuries. The top bit keeps every key from being zero. */
static u64 key_of(pid_t pid, u64 start_ticks)
{
	return (u64)1 << 63 | start_ticks << 22 | (u64)pid;
}

/* Where the key is, or the free place where it belongs. */
static u64 *place_of(const struct seen *seen, u64 key)
{
	size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32);
	while (seen->places[at & (seen->capacity - 1)] && seen->places[at & (seen->capacity - 1)] != key)
		at++;
	return &seen->places[at & (seen->capacity - 1)];
}

static bool grow(struct seen *seen)
{
	struct seen larger = {.capacity = seen->capacity ? seen->capacity * 2 : 64, .count = seen->count};
	larger.places = calloc(larger.capacity, sizeof *larger.places);
	if (!larger.places)
		return false;
	for (size_t i = 0; i < seen->capacity; i++)
		if (seen->places[i])
			*place_of(&larger, seen->places[i]) = seen->places[i];
	free(seen->places);
	*seen = larger;
	return true;
}

bool seen_has(const struct seen *seen, pid_t pid, u64 start_ticks)
{
	return seen->count > 0 && *place_of(seen, key_of(pid, start_ticks)) != 0;
}

bool seen_add(struct seen *seen, pid_t pid, u64 start_ticks)
{
	if (seen_has(seen, pid, start_ticks))
		return false;
	/* A quarter stays free, so that a search ends soon. */
	if ((seen->count + 1) * 4 > seen->capacity * 3 && !grow(seen) && seen->count + 1 >= seen->capacity)
		return true;
	u64 key = key_of(pid, start_ticks);
	*place_of(seen, key) = key;
	seen->count++;
	return true;
}

void seen_clear(struct seen *seen)
{
	if (seen->capacity)
		memset(seen->places, 0, seen->capacity * sizeof *seen->places);
	seen->count = 0;
}

void seen_free(struct seen *seen)
{
	free(seen->places);
	*seen = (struct seen){0};
}
