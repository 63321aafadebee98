/* See mux-packet.h. */
#include "mux-packet.h"

static u32 get_u32(const u8 *at)
{
	return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
}

void mux_put_u32(u8 *at, u32 value)
{
	at[0] = (u8)(value >> 24);
	at[1] = (u8)(value >> 16);
	at[2] = (u8)(value >> 8);
	at[3] = (u8)value;
}

void mux_put_hello(u8 at[HELLO_BYTES])
{
	mux_put_u32(at, HELLO_BYTES - 4);
	mux_put_u32(at + 4, MASTER_HELLO);
	mux_put_u32(at + 8, MASTER_VERSION);
}

void mux_put_alive(u8 at[ALIVE_BYTES], u32 request_id)
{
	mux_put_u32(at, ALIVE_BYTES - 4);
	mux_put_u32(at + 4, MASTER_ALIVE_CHECK);
	mux_put_u32(at + 8, request_id);
}

/* Takes four bytes off the front; without them, sets bad. */
static u32 take_u32(const u8 **at, size_t *left, bool *bad)
{
	if (*left < 4) {
		*bad = true;
		return 0;
	}
	u32 value = get_u32(*at);
	*at += 4;
	*left -= 4;
	return value;
}

/* What the body has to hold, by type; more than that may follow. */
static bool parse_body(const u8 *at, size_t left, struct mux_packet *packet)
{
	bool bad = false;
	switch (packet->type) {
	case MASTER_HELLO:
		packet->value = take_u32(&at, &left, &bad);
		return !bad;
	case MASTER_OK:
	case MASTER_TTY_FAILED:
		packet->id = take_u32(&at, &left, &bad);
		return !bad;
	case MASTER_EXIT:
	case MASTER_ALIVE:
	case MASTER_OPENED:
		packet->id = take_u32(&at, &left, &bad);
		packet->value = take_u32(&at, &left, &bad);
		return !bad;
	case MASTER_DENIED:
	case MASTER_FAILURE:
		packet->id = take_u32(&at, &left, &bad);
		packet->text_length = take_u32(&at, &left, &bad);
		packet->text = at;
		return !bad && packet->text_length <= left;
	default:
		return true;
	}
}

enum frame_state mux_packet_parse(const u8 *bytes, size_t available, struct mux_packet *packet)
{
	if (available < 4)
		return FRAME_PARTIAL;
	size_t length = get_u32(bytes);
	if (length < 4 || length > MASTER_PACKET_BYTES_MAX)
		return FRAME_BAD;
	if (available - 4 < length)
		return FRAME_PARTIAL;
	*packet = (struct mux_packet){.type = get_u32(bytes + 4), .bytes = length + 4};
	return parse_body(bytes + 8, length - 4, packet) ? FRAME_WHOLE : FRAME_BAD;
}
