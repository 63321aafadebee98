/* See mux-header.h. */
#include "mux-header.h"

#include <stdio.h>
#include <string.h>

#define RECORD_SEPARATOR 0x1e

static bool is_word(u8 c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

bool mux_header_begin(struct mux_header *header, const char *nonce)
{
	size_t length = strlen(nonce);
	memset(header, 0, sizeof *header);
	for (size_t i = 0; i < length; i++)
		if (!is_word((u8)nonce[i]))
			return false;
	if (length < NONCE_BYTES_MIN || length > NONCE_BYTES_MAX)
		return false;
	header->mark_length = (size_t)snprintf(header->mark, sizeof header->mark, "%cCLF1 %s ", RECORD_SEPARATOR, nonce);
	return true;
}

/* Three words with one space between them. */
static bool is_three_words(const u8 *at, size_t length)
{
	size_t words = 0, in_word = 0;
	for (size_t i = 0; i < length; i++) {
		if (at[i] == ' ' && in_word == 0)
			return false;
		in_word = at[i] == ' ' ? 0 : in_word + 1;
		words += in_word == 1;
	}
	return words == 3 && in_word > 0;
}

/* Whether what is held can still become the header. */
static bool is_possible(const struct mux_header *header)
{
	size_t length = header->held_length, mark = header->mark_length;
	u8 last = header->held[length - 1];
	if (length <= mark)
		return last == (u8)header->mark[length - 1];
	return length < sizeof header->held && (is_word(last) || last == ' ');
}

static bool is_whole(const struct mux_header *header)
{
	size_t length = header->held_length, mark = header->mark_length;
	return length > mark && header->held[length - 1] == '\n' &&
	       is_three_words(header->held + mark, length - mark - 1);
}

size_t mux_header_flush(struct mux_header *header, u8 *out)
{
	size_t length = header->held_length;
	memcpy(out, header->held, length);
	header->held_length = 0;
	return length;
}

static void keep_found(struct mux_header *header)
{
	size_t length = header->held_length - header->mark_length - 1;
	memcpy(header->found, header->held + header->mark_length, length);
	header->found[length] = '\0';
	header->mark_length = header->held_length = 0;
}

size_t mux_header_pass(struct mux_header *header, const u8 *bytes, size_t length, u8 *out)
{
	size_t at = 0, passed = 0;
	while (header->mark_length > 0 && at < length) {
		if (header->held_length == 0) {
			const u8 *next = memchr(bytes + at, RECORD_SEPARATOR, length - at);
			size_t plain = next ? (size_t)(next - (bytes + at)) : length - at;
			memcpy(out + passed, bytes + at, plain);
			passed += plain;
			at += plain;
			if (!next)
				return passed;
		}
		header->held[header->held_length++] = bytes[at++];
		if (is_possible(header))
			continue;
		if (is_whole(header)) {
			keep_found(header);
		} else if (bytes[at - 1] == RECORD_SEPARATOR) {
			/* It may begin here: only its first byte is a separator. */
			header->held_length--;
			passed += mux_header_flush(header, out + passed);
			header->held[header->held_length++] = RECORD_SEPARATOR;
		} else {
			passed += mux_header_flush(header, out + passed);
		}
	}
	memcpy(out + passed, bytes + at, length - at);
	return passed + length - at;
}
