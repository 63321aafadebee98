/* See json.h. */
#include "json.h"

#include <string.h>

static void put(struct json *json, const char *bytes, size_t length)
{
	if (json->overflow || length > json->capacity - json->length) {
		json->overflow = true;
		return;
	}
	memcpy(json->text + json->length, bytes, length);
	json->length += length;
}

/* Length of the character that begins here, 0 if these bytes are no UTF-8. The terminating NUL ends every look ahead. */
static size_t utf8_length(const unsigned char *at)
{
	if (at[0] < 0x80)
		return 1;
	size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what lies beyond Unicode. */
	bool wrong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90) ||
		     (at[0] == 0xf4 && at[1] > 0x8f);
	return wrong ? 0 : length;
}

static void put_quoted(struct json *json, const char *value, size_t bytes_max)
{
	static const char hex[] = "0123456789abcdef";
	put(json, "\"", 1);
	for (; *value && bytes_max > 0; value++, bytes_max--) {
		unsigned char c = (unsigned char)*value;
		size_t length = utf8_length((const unsigned char *)value);
		if (length > bytes_max)
			break;
		if (length > 1) {
			put(json, value, length);
			value += length - 1;
			bytes_max -= length - 1;
			continue;
		}
		if (c == '"' || c == '\\') {
			char escaped[2] = {'\\', (char)c};
			put(json, escaped, 2);
		} else if (c < 0x20 || c > 0x7e) {
			char escaped[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
			put(json, escaped, 6);
		} else {
			put(json, (const char *)value, 1);
		}
	}
	put(json, "\"", 1);
}

static void put_key(struct json *json, const char *key)
{
	if (json->need_comma)
		put(json, ",", 1);
	json->need_comma = true;
	if (key) {
		put_quoted(json, key, SIZE_MAX);
		put(json, ":", 1);
	}
}

void json_begin(struct json *json, char *buffer, size_t capacity)
{
	*json = (struct json){.text = buffer, .capacity = capacity};
}

void json_open(struct json *json, const char *key, char bracket)
{
	put_key(json, key);
	put(json, &bracket, 1);
	json->need_comma = false;
}

void json_close(struct json *json, char bracket)
{
	put(json, &bracket, 1);
	json->need_comma = true;
}

void json_u64(struct json *json, const char *key, u64 value)
{
	char digits[20];
	size_t at = sizeof digits;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_key(json, key);
	put(json, digits + at, sizeof digits - at);
}

void json_i64(struct json *json, const char *key, i64 value)
{
	if (value >= 0) {
		json_u64(json, key, (u64)value);
		return;
	}
	put_key(json, key);
	put(json, "-", 1);
	json->need_comma = false;
	json_u64(json, NULL, 0 - (u64)value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	put_key(json, key);
	put(json, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json *json, const char *key)
{
	put_key(json, key);
	put(json, "null", 4);
}

void json_string(struct json *json, const char *key, const char *value)
{
	json_string_cut(json, key, value, SIZE_MAX);
}

void json_string_cut(struct json *json, const char *key, const char *value, size_t bytes_max)
{
	put_key(json, key);
	put_quoted(json, value, bytes_max);
}
