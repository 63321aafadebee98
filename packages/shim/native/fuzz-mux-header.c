/*
 * Fuzz target: taking the header out of a stream, and the last line of a sweep. However the stream is cut into pieces, what
 * passes is the stream without at most one header.
 */
#include "mux-header.c"
#include "mux-swept.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Passes all of it in pieces of this length. */
static size_t pass(struct mux_header *header, const u8 *data, size_t size, size_t piece, u8 *out)
{
	size_t passed = 0;
	for (size_t at = 0; at < size; at += piece) {
		size_t length = size - at < piece ? size - at : piece;
		passed += mux_header_pass(header, data + at, length, out + passed);
	}
	return passed + mux_header_flush(header, out + passed);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const size_t pieces[] = {1, 3, 64, size + 1};
	u8 *first = malloc(size + HOST_HEADER_BYTES_MAX), *again = malloc(size + HOST_HEADER_BYTES_MAX);
	if (!first || !again)
		abort();
	size_t first_length = 0;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct mux_header header;
		if (!mux_header_begin(&header, "nonce-1234"))
			abort();
		size_t length = pass(&header, data, size, pieces[i], i == 0 ? first : again);
		size_t taken = header.found[0] ? strlen(header.found) + strlen("_CLF1 nonce-1234 \n") : 0;
		if (length + taken != size)
			abort();
		if (i == 0)
			first_length = length;
		else if (length != first_length || memcmp(first, again, length) != 0)
			abort();
	}
	free(first);
	free(again);
	u64 found, left;
	if (mux_swept_parse(data, size, &found, &left) && (found > 999999999 || left > 999999999))
		abort();
	return 0;
}
