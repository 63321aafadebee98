/* A socket that starts a program for each connection, for as long as a run lives: see listen.c. */
#ifndef CLF_LISTEN_H
#define CLF_LISTEN_H

/* `argv` is the program with its arguments; its first word is an absolute path. */
int listen_main(const char *socket_dir, const char *run_dir, char **argv);

#endif
