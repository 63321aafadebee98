/*
 * What of the master's protocol a shielded agent may use: sessions on the host, a stream to an address that the host reaches (`ssh -W`),
 * and the question whether the master lives.
 *
 * The master is outside the shield. So nothing may be asked of it that it would do on this machine:
 *
 * - Forwarding. `-R` has the master connect to addresses and Unix sockets here, as those of docker or of our own signer;
 *   `-L` has it listen here, on a port as the gateway's or on a path of a file. Both are ways out.
 * - Escape characters. On some versions they lead to the same forwards.
 * - X11 and the agent. The master has both off; here they are off as well.
 * - Its end, and that of its socket: others use it, too.
 */
#include "door.h"

#include "mux-packet.h"

#define STREAM_TO_ADDRESS 0x10000008u
#define NO_ESCAPE_CHARACTER 0xffffffffu
/* type, request, length of a reserved text */
#define SESSION_FIXED_BYTES 12u
/* terminal, X11, agent, subsystem, escape character */
#define SESSION_FLAGS_BYTES 20u

static u32 u32_at(const u8 *at)
{
	return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
}

static bool tame_session(u8 *body, size_t length)
{
	if (length < SESSION_FIXED_BYTES + SESSION_FLAGS_BYTES)
		return false;
	size_t reserved = u32_at(body + 8);
	if (reserved > length - SESSION_FIXED_BYTES - SESSION_FLAGS_BYTES)
		return false;
	u8 *flags = body + SESSION_FIXED_BYTES + reserved;
	mux_put_u32(flags + 4, 0);
	mux_put_u32(flags + 8, 0);
	mux_put_u32(flags + 16, NO_ESCAPE_CHARACTER);
	return true;
}

struct door_rule door_judge(u8 *body, size_t length)
{
	struct door_rule rule = {.verdict = DOOR_BREAKS};
	if (length < 8)
		return rule;
	rule.id = u32_at(body + 4);
	switch (u32_at(body)) {
	case MASTER_HELLO:
	case MASTER_ALIVE_CHECK:
		rule.verdict = DOOR_PASSES;
		break;
	case MASTER_NEW_SESSION:
		rule.fds = 3;
		rule.verdict = tame_session(body, length) ? DOOR_PASSES : DOOR_BREAKS;
		break;
	case STREAM_TO_ADDRESS:
		rule.fds = 2;
		rule.verdict = DOOR_PASSES;
		break;
	default:
		rule.verdict = DOOR_REFUSES;
	}
	return rule;
}
