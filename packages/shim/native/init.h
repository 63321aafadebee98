/* The first process of a container (E1): see init.c. */
#ifndef CLF_INIT_H
#define CLF_INIT_H

/* `argv[0]` is the program, as an absolute path. */
int init_main(char **argv);

#endif
