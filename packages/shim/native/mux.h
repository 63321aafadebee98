/*
 * `mux SOCKET`: runs one command on a host through an OpenSSH master, as a passenger. See docs/protocol/mux.md and mux.c.
 */
#ifndef CLF_MUX_H
#define CLF_MUX_H

#include "mux-link.h"
#include "mux-pass.h"
#include "mux-sweep.h"
#include "mux-terminal.h"

/* What the environment says. The texts lie in the environment's own memory, and are wiped there. */
struct mux_setup {
	char *command, *payload, *nonce, *sweep, *report, *crowded;
	/* retry_ms: how long a session that is refused is asked for again; 0: not at all */
	u64 open_ms, sweep_ms, retry_ms;
	const char *terminal_type;
};

/* NULL, or what is wrong. All of it is gone from the environment afterwards, but not from memory yet. */
const char *mux_setup_read(struct mux_setup *setup);
void mux_wipe_text(char *text);

/* master-alive, master-lost or master-silent. */
const char *mux_look_for_master(const char *path);

enum mux_stage {
	/* nothing was asked for yet */
	MUX_CONNECTING,
	/* asked; from here on the command may run */
	MUX_OPENING,
	MUX_OPEN,
	/* the master has closed the session, or there never was one */
	MUX_OVER,
};

/* Being told to end: see mux-cancel.c. */
struct mux_cancel {
	/* 0: not told */
	int signal_number;
	struct mux_sweep sweep;
	bool is_sweeping;
	/* what was found by all sweeps together */
	u64 found;
	/* the last sweep has left nothing, and until then the session may end; 0: no */
	u64 settle_until_ms;
	/* when no sweep begins any more; 0: none has */
	u64 until_ms;
	/* the last word is reported, or there is nothing to be swept */
	bool is_done;
};

struct mux {
	struct mux_setup setup;
	const char *path;
	int report_fd, signal_fd;
	enum mux_stage stage;
	/* the limit of the stage, for CONNECTING and OPENING */
	u64 open_until_ms;
	/* after a refusal: when it is asked for again, the last pause, and when that is given up */
	u64 ask_at_ms, pause_ms, ask_until_ms;
	struct mux_link link;
	struct mux_terminal terminal;
	/* our standard input to the host, its standard error to ours, a terminal's output */
	struct mux_pass in, err, out;
	/* what is handed over, until it is */
	int fds[3];
	bool is_released;
	u32 session;
	bool has_code;
	u32 code;
	/* for people: why there is no code; NULL: there is one, or they asked for the end */
	const char *sentence;
	struct mux_cancel cancel;
	/* when the last output after a sweep is no longer waited for */
	u64 leave_ms;
};

/* Sweeps as far as the stage allows it. */
void mux_cancel_turn(struct mux *mux);
/* When it wants a turn without being woken; UINT64_MAX: never. */
u64 mux_cancel_due_ms(const struct mux *mux, u64 now);

/* 0 or -errno: pipes where there have to be some, and what is handed over. */
int mux_streams_open(struct mux *mux);
/* It was handed over: our copies would keep the other side's ends open. */
void mux_streams_release(struct mux *mux);
void mux_streams_close(struct mux *mux);

int mux_main(const char *path);

#endif
