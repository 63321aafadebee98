/* The job `dial`: see dial.c. */
#ifndef CLF_DIAL_H
#define CLF_DIAL_H

int dial_main(const char *address, const char *port, const char *report, const char *limit_ms);

#endif
