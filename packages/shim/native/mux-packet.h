/*
 * The packets of an OpenSSH master's control socket, version 4: big-endian, a length and a type before each (docs/protocol/mux.md).
 * The parser is pure and fuzzed, as those of wire.h.
 */
#ifndef CLF_MUX_PACKET_H
#define CLF_MUX_PACKET_H

#include "sys.h"
#include "wire.h"

#define MASTER_VERSION 4u

/* What we send. */
#define MASTER_HELLO 0x00000001u
#define MASTER_NEW_SESSION 0x10000002u
#define MASTER_ALIVE_CHECK 0x10000004u
/* What it answers; its own HELLO has the number above. */
#define MASTER_OK 0x80000001u
#define MASTER_DENIED 0x80000002u
#define MASTER_FAILURE 0x80000003u
#define MASTER_EXIT 0x80000004u
#define MASTER_ALIVE 0x80000005u
#define MASTER_OPENED 0x80000006u
#define MASTER_TTY_FAILED 0x80000008u

/* HELLO and ALIVE_CHECK. */
#define HELLO_BYTES 12u
#define ALIVE_BYTES 12u

struct mux_packet {
	u32 type;
	/* the request that is answered; of EXIT and TTY_FAILED, the session */
	u32 id;
	/* HELLO: the version. EXIT: the code. ALIVE: the pid. OPENED: the session */
	u32 value;
	/* FAILURE and DENIED: why */
	const u8 *text;
	size_t text_length;
	/* with its length: how far to move on */
	size_t bytes;
};

/* Extensions of HELLO and packets of unknown types are whole, and for the caller to pass over. */
enum frame_state mux_packet_parse(const u8 *bytes, size_t available, struct mux_packet *packet);

void mux_put_u32(u8 *at, u32 value);
void mux_put_hello(u8 at[HELLO_BYTES]);
void mux_put_alive(u8 at[ALIVE_BYTES], u32 request_id);

#endif
