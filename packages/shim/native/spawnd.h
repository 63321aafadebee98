/* spawnd: see spawnd.c. */
#ifndef CLF_SPAWND_H
#define CLF_SPAWND_H

int spawnd_main(int mux_fd);

#endif
