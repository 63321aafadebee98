/*
 * libFuzzer target: the framing of every link. Whatever the bytes, a frame that is called whole lies within them,
 * and its header can be written again.
 */
#include "wire.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const size_t maxima[3] = {FRAME_LENGTH_MAX, CONTROL_FRAME_LENGTH_MAX, AUTH_FRAME_LENGTH_MAX};
	for (size_t i = 0; i < 3; i++) {
		size_t at = 0;
		struct frame frame;
		while (frame_parse(data + at, size - at, maxima[i], &frame) == FRAME_WHOLE) {
			u8 header[FRAME_HEADER_BYTES];
			frame_header(header, frame.type, frame.id, frame.length);
			if (memcmp(header, data + at, sizeof header) != 0 || frame.bytes > size - at ||
			    frame.payload + frame.length != data + at + frame.bytes || frame.bytes > maxima[i] + 4)
				abort();
			at += frame.bytes;
		}
	}
	return 0;
}
