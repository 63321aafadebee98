/* See report.h. */
#include "report.h"

#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int report_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

void report_line(int fd, const char *format, ...)
{
	char line[REPORT_LINE_BYTES_MAX];
	va_list values;
	if (fd < 0)
		return;
	va_start(values, format);
	int length = vsnprintf(line, sizeof line - 1, format, values);
	va_end(values);
	if (length < 0)
		return;
	size_t end = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
	line[end] = '\n';
	ssize_t n;
	do
		n = write(fd, line, end + 1);
	while (n < 0 && errno == EINTR);
}

const char *error_name(int number)
{
	static const struct {
		i32 number;
		char name[14];
	} names[] = {
		{EACCES, "EACCES"},	      {EADDRNOTAVAIL, "EADDRNOTAVAIL"}, {EAFNOSUPPORT, "EAFNOSUPPORT"},
		{EAGAIN, "EAGAIN"},	      {ECONNABORTED, "ECONNABORTED"},	{ECONNREFUSED, "ECONNREFUSED"},
		{ECONNRESET, "ECONNRESET"},   {EHOSTDOWN, "EHOSTDOWN"},		{EHOSTUNREACH, "EHOSTUNREACH"},
		{EINVAL, "EINVAL"},	      {EIO, "EIO"},			{EMFILE, "EMFILE"},
		{ENAMETOOLONG, "ENAMETOOLONG"}, {ENETDOWN, "ENETDOWN"},		{ENETUNREACH, "ENETUNREACH"},
		{ENFILE, "ENFILE"},	      {ENOBUFS, "ENOBUFS"},		{ENOENT, "ENOENT"},
		{ENOMEM, "ENOMEM"},	      {ENOTDIR, "ENOTDIR"},		{ENOTSOCK, "ENOTSOCK"},
		{EPERM, "EPERM"},	      {EPIPE, "EPIPE"},			{EPROTO, "EPROTO"},
		{ETIMEDOUT, "ETIMEDOUT"},
	};
	static char unnamed[16];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == number)
			return names[i].name;
	snprintf(unnamed, sizeof unnamed, "E%d", number);
	return unnamed;
}
