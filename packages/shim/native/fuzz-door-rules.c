/*
 * Fuzz target: what of an agent's request is passed on to a master. Whatever comes, it is changed within its bounds only, and only what is
 * on the list passes.
 */
#include "door-rules.c"
#include "mux-packet.c"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* Exactly as large, so that a byte beyond it is seen. */
	u8 *body = malloc(size ? size : 1);
	if (!body)
		return 0;
	memcpy(body, data, size);
	struct door_rule rule = door_judge(body, size);
	u32 type = size >= 4 ? u32_at(body) : 0;
	bool is_known = type == MASTER_HELLO || type == MASTER_ALIVE_CHECK || type == MASTER_NEW_SESSION || type == STREAM_TO_ADDRESS;
	if (rule.verdict == DOOR_PASSES && !is_known)
		abort();
	if (rule.verdict != DOOR_PASSES && type != MASTER_NEW_SESSION && memcmp(body, data, size) != 0)
		abort();
	free(body);
	return 0;
}
