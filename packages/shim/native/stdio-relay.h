/* Standard input and output as the two ends of a socket: see stdio-relay.c. */
#ifndef CLF_STDIO_RELAY_H
#define CLF_STDIO_RELAY_H

int stdio_relay_main(const char *socket_path);

#endif
