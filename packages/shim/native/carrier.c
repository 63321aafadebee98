/* See carrier.h. */
#include "carrier.h"

#include <string.h>

void carrier_load(struct carrier *carrier, struct msghdr *message, int fd)
{
	static u8 nothing = 0;
	memset(carrier, 0, sizeof *carrier);
	carrier->byte = (struct iovec){&nothing, 1};
	*message = (struct msghdr){.msg_iov = &carrier->byte, .msg_iovlen = 1, .msg_control = carrier->control,
				   .msg_controllen = sizeof carrier->control};
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof fd);
}
