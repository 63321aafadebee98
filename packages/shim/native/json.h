/*
 * Writes JSON into a fixed buffer. What does not fit sets `overflow`; the caller then writes a shorter record.
 * The native part only writes JSON, it never reads any.
 */
#ifndef CLF_JSON_H
#define CLF_JSON_H

#include "sys.h"

struct json {
	char *text;
	size_t capacity;
	size_t length;
	bool overflow;
	bool need_comma;
};

void json_begin(struct json *json, char *buffer, size_t capacity);
/* key may be NULL inside arrays and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_u64(struct json *json, const char *key, u64 value);
void json_i64(struct json *json, const char *key, i64 value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* Control characters, and bytes that are no UTF-8, are written as \u00NN: names are for people, never for comparison. */
void json_string(struct json *json, const char *key, const char *value);
/* At most `bytes_max` bytes of it. */
void json_string_cut(struct json *json, const char *key, const char *value, size_t bytes_max);

#endif
