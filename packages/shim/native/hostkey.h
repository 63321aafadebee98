/* The job `hostkey`: see hostkey.c. */
#ifndef CLF_HOSTKEY_H
#define CLF_HOSTKEY_H

/* REPORT PINS INVOCATION TYPE KEY ALIAS */
int hostkey_main(char **words);

#endif
