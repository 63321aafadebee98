/* The line of the sweep script: see mux-sweep.h. */
#include "mux-sweep.h"

#include <string.h>

/* Digits up to `end`, at most nine: no table of processes is longer. */
static bool take_number(const u8 **at, const u8 *limit, u8 end, u64 *value)
{
	size_t digits = 0;
	*value = 0;
	for (; *at < limit && **at >= '0' && **at <= '9'; (*at)++, digits++)
		*value = *value * 10 + (u64)(**at - '0');
	return digits > 0 && digits < 10 && *at < limit && *(*at)++ == end;
}

bool mux_swept_parse(const u8 *line, size_t length, u64 *found, u64 *left)
{
	static const char mark[] = "CLF-SWEPT ";
	const size_t mark_length = sizeof mark - 1;
	if (length < mark_length || memcmp(line, mark, mark_length) != 0)
		return false;
	const u8 *at = line + mark_length, *limit = line + length;
	return take_number(&at, limit, ' ', found) && take_number(&at, limit, '\n', left) && at == limit;
}
