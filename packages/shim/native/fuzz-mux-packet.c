/*
 * Fuzz target: the packets of a master's control socket. Whatever comes, a packet lies within what was given, and so does its text.
 */
#include "mux-packet.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t at = 0;
	struct mux_packet packet;
	while (mux_packet_parse(data + at, size - at, &packet) == FRAME_WHOLE) {
		const u8 *end = data + at + packet.bytes;
		if (packet.bytes < 8 || packet.bytes > size - at || packet.bytes > MASTER_PACKET_BYTES_MAX + 4u)
			abort();
		if (packet.text && (packet.text < data + at || packet.text_length > (size_t)(end - packet.text)))
			abort();
		at += packet.bytes;
	}
	return 0;
}
