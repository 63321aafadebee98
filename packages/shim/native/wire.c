/* See wire.h. */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

const char *reason_name(enum reason reason)
{
	static const char *const names[REASON_COUNT] = {
		"exit",		     "signal",		 "manual-cancel",   "overall-timeout", "no-output-timeout",
		"spawn-error",	     "ownership-escape", "owner-lost",	    "out-of-memory",   "host-rebooted",
		"container-restarted", "reconciled-stale", "unknown",
	};
	return names[reason < REASON_COUNT ? reason : REASON_UNKNOWN];
}

static u64 get_uint(const u8 *at, size_t bytes)
{
	u64 value = 0;
	for (size_t i = 0; i < bytes; i++)
		value |= (u64)at[i] << (8 * i);
	return value;
}

void put_uint(u8 *at, u64 value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (u8)(value >> (8 * i));
}

enum frame_state frame_parse(const u8 *bytes, size_t available, size_t length_max, struct frame *frame)
{
	if (available < 4)
		return FRAME_PARTIAL;
	u64 length = get_uint(bytes, 4);
	if (length < FRAME_HEADER_BYTES - 4 || length > length_max)
		return FRAME_BAD;
	if (available < 4 + length)
		return FRAME_PARTIAL;
	*frame = (struct frame){
		.type = bytes[4],
		.id = (u32)get_uint(bytes + 8, 4),
		.payload = bytes + FRAME_HEADER_BYTES,
		.length = (size_t)length - (FRAME_HEADER_BYTES - 4),
		.bytes = (size_t)length + 4,
	};
	return bytes[5] || bytes[6] || bytes[7] ? FRAME_BAD : FRAME_WHOLE;
}

void frame_header(u8 header[FRAME_HEADER_BYTES], u8 type, u32 id, size_t payload_length)
{
	put_uint(header, payload_length + FRAME_HEADER_BYTES - 4, 4);
	header[4] = type;
	header[5] = header[6] = header[7] = 0;
	put_uint(header + 8, id, 4);
}

u64 read_uint(struct reader *reader, size_t bytes)
{
	if (reader->bad || reader->left < bytes) {
		reader->bad = true;
		return 0;
	}
	u64 value = get_uint(reader->at, bytes);
	reader->at += bytes;
	reader->left -= bytes;
	return value;
}

void read_str(struct reader *reader, char *out, size_t capacity)
{
	size_t length = (size_t)read_uint(reader, 2);
	out[0] = '\0';
	if (reader->bad || length > reader->left || length >= capacity || memchr(reader->at, 0, length)) {
		reader->bad = true;
		return;
	}
	memcpy(out, reader->at, length);
	out[length] = '\0';
	reader->at += length;
	reader->left -= length;
}

void read_owner(struct reader *reader, struct owner *owner)
{
	owner->generation = read_uint(reader, 8);
	owner->pid = (pid_t)read_uint(reader, 4);
	owner->start_ticks = read_uint(reader, 8);
	read_str(reader, owner->instance, sizeof owner->instance);
}

bool claim_parse(const u8 *payload, size_t length, struct claim *claim)
{
	struct reader reader = {.at = payload, .left = length};
	claim->epoch = read_uint(&reader, 8);
	read_owner(&reader, &claim->owner);
	return !reader.bad && reader.left == 0;
}

bool terminate_parse(const u8 *payload, size_t length, struct terminate *terminate)
{
	struct reader reader = {.at = payload, .left = length};
	terminate->epoch = read_uint(&reader, 8);
	u64 reason = read_uint(&reader, 1);
	terminate->grace_ms = (u32)read_uint(&reader, 4);
	read_str(&reader, terminate->actor, sizeof terminate->actor);
	/* Only what somebody can ask for; the other reasons are facts. */
	if (reason != REASON_MANUAL_CANCEL && reason != REASON_OVERALL_TIMEOUT &&
	    reason != REASON_NO_OUTPUT_TIMEOUT && reason != REASON_OWNER_LOST)
		return false;
	terminate->reason = (enum reason)reason;
	return !reader.bad && reader.left == 0;
}
