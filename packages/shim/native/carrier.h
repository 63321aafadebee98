/*
 * A message of one byte that carries a descriptor over a Unix socket, as OpenSSH sends and expects it.
 */
#ifndef CLF_CARRIER_H
#define CLF_CARRIER_H

#include "sys.h"

#include <sys/socket.h>
#include <sys/uio.h>

struct carrier {
	_Alignas(struct cmsghdr) u8 control[CMSG_SPACE(sizeof(int))];
	struct iovec byte;
};

/* Both live until the message is sent. */
void carrier_load(struct carrier *carrier, struct msghdr *message, int fd);

#endif
