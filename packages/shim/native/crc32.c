/*
 * CRC-32 by carry-less multiplication where the processor has it (x86: PCLMULQDQ,
 * Arm: its CRC instructions), else four bytes at a time from tables made at first use.
 * The folding constants are x^n mod P for the reflected polynomial 0xEDB88320.
 */
#include "crc32.h"

#include <string.h>

static u32 table[4][256];

static void table_make(void)
{
	if (table[0][1])
		return;
	for (u32 i = 0; i < 256; i++) {
		u32 c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
		table[0][i] = c;
	}
	for (u32 i = 0; i < 256; i++)
		for (int k = 1; k < 4; k++)
			table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xff];
}

static u32 crc_tables(u32 crc, const u8 *p, size_t n)
{
	table_make();
	for (; n >= 4; n -= 4, p += 4) {
		u32 word;
		memcpy(&word, p, 4);
		crc ^= word;
		crc = table[3][crc & 0xff] ^ table[2][(crc >> 8) & 0xff] ^ table[1][(crc >> 16) & 0xff] ^
		      table[0][crc >> 24];
	}
	for (; n; n--, p++)
		crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xff];
	return crc;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define FOLD(x, k, next)                                                                                     \
	_mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128((x), (k), 0x00), _mm_clmulepi64_si128((x), (k), 0x11)), \
		      (next))

static __m128i load(const u8 *p)
{
	__m128i value;
	memcpy(&value, p, sizeof value);
	return value;
}

/* n is at least 64 and a multiple of 16. Four lanes, folded to one, then reduced (Barrett). */
__attribute__((target("pclmul,sse4.1"))) static u32 crc_clmul(u32 crc, const u8 *p, size_t n)
{
	const __m128i by64 = _mm_set_epi64x(0x01c6e41596ll, 0x0154442bd4ll);
	const __m128i by16 = _mm_set_epi64x(0x00ccaa009ell, 0x01751997d0ll);
	const __m128i by8 = _mm_set_epi64x(0, 0x0163cd6124ll);
	const __m128i poly = _mm_set_epi64x(0x01f7011641ll, 0x01db710641ll);
	const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);

	__m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int)crc));
	__m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);
	for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
		a = FOLD(a, by64, load(p));
		b = FOLD(b, by64, load(p + 16));
		c = FOLD(c, by64, load(p + 32));
		d = FOLD(d, by64, load(p + 48));
	}
	a = FOLD(a, by16, b);
	a = FOLD(a, by16, c);
	a = FOLD(a, by16, d);
	for (; n >= 16; p += 16, n -= 16)
		a = FOLD(a, by16, load(p));

	b = _mm_clmulepi64_si128(a, by16, 0x10);
	a = _mm_xor_si128(_mm_srli_si128(a, 8), b);
	b = _mm_srli_si128(a, 4);
	a = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low32), by8, 0x00), b);
	b = _mm_clmulepi64_si128(_mm_and_si128(a, low32), poly, 0x10);
	b = _mm_clmulepi64_si128(_mm_and_si128(b, low32), poly, 0x00);
	return (u32)_mm_extract_epi32(_mm_xor_si128(a, b), 1);
}

static u32 crc_fast(u32 crc, const u8 **p, size_t *n)
{
	if (*n < 64 || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1"))
		return crc;
	size_t whole = *n & ~(size_t)15;
	crc = crc_clmul(crc, *p, whole);
	*p += whole;
	*n -= whole;
	return crc;
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static u32 crc_fast(u32 crc, const u8 **p, size_t *n)
{
	for (; *n >= 8; *n -= 8, *p += 8) {
		u64 word;
		memcpy(&word, *p, 8);
		crc = __crc32d(crc, word);
	}
	return crc;
}
#else
static u32 crc_fast(u32 crc, const u8 **p, size_t *n)
{
	(void)p;
	(void)n;
	return crc;
}
#endif

u32 crc32_of(const void *data, size_t length)
{
	const u8 *p = data;
	u32 crc = crc_fast(~0u, &p, &length);
	return ~crc_tables(crc, p, length);
}
