/*
 * Evidence for the gateway: lines appended to a file that it named. Each line is one write, so that several programs may use one
 * file. See docs/protocol/mux.md.
 */
#ifndef CLF_REPORT_H
#define CLF_REPORT_H

#include "sys.h"

/* Returns a descriptor, or -errno. The file is made if it is not there, for its owner only. */
int report_open(const char *path);
/* A line that does not fit is cut. Nothing can be done about a full disk, so nothing is returned; fd -1: no report is wanted. */
__attribute__((format(printf, 2, 3))) void report_line(int fd, const char *format, ...);
/* ENOENT for 2; E and the number for what has no name here. */
const char *error_name(int number);

#endif
