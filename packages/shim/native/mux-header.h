/*
 * Takes one line out of a stream: `␞CLF1 <nonce> <pid> <start ticks> <boot id>`, which the bootstrap on the host prints before it
 * becomes the command. What comes before it passes unchanged; once it was found, nothing is looked at any more.
 * Pure, and fuzzed.
 */
#ifndef CLF_MUX_HEADER_H
#define CLF_MUX_HEADER_H

#include "limits.h"
#include "sys.h"

struct mux_header {
	/* `␞CLF1 <nonce> `; empty: nothing is looked for */
	char mark[NONCE_BYTES_MAX + 8];
	size_t mark_length;
	/* what may be the beginning of it */
	u8 held[HOST_HEADER_BYTES_MAX];
	size_t held_length;
	/* `<pid> <start ticks> <boot id>`, once found */
	char found[HOST_HEADER_BYTES_MAX];
};

/* False: not a nonce. */
bool mux_header_begin(struct mux_header *header, const char *nonce);
/* Passes bytes on to `out`, which has room for them and HOST_HEADER_BYTES_MAX more; returns how many. */
size_t mux_header_pass(struct mux_header *header, const u8 *bytes, size_t length, u8 *out);
/* At the end of the stream: what was held is no header. */
size_t mux_header_flush(struct mux_header *header, u8 *out);

#endif
