/* See mux-terminal.h. */
#include "mux-terminal.h"

#include <signal.h>
#include <unistd.h>

void mux_terminal_open(struct mux_terminal *terminal)
{
	*terminal = (struct mux_terminal){.master_pidfd = -1};
	terminal->is_there = tcgetattr(0, &terminal->modes) == 0;
}

void mux_terminal_know_master(struct mux_terminal *terminal, const struct mux_link *link, u32 pid)
{
	if (terminal->master_pidfd < 0 && pid > 1 && mux_peer(link) == (pid_t)pid)
		terminal->master_pidfd = sys_pidfd_open((pid_t)pid);
}

/* At once: waiting for output that is not read could last for ever. */
void mux_terminal_make_raw(struct mux_terminal *terminal)
{
	if (!terminal->is_there || terminal->is_raw)
		return;
	struct termios raw = terminal->modes;
	cfmakeraw(&raw);
	terminal->is_raw = tcsetattr(0, TCSANOW, &raw) == 0;
	if (terminal->size_due)
		mux_terminal_tell_size(terminal);
}

void mux_terminal_restore(struct mux_terminal *terminal)
{
	if (terminal->is_raw)
		(void)tcsetattr(0, TCSANOW, &terminal->modes);
	terminal->is_raw = false;
}

/* The master asks each terminal that it holds for its size, and tells the host. */
void mux_terminal_tell_size(struct mux_terminal *terminal)
{
	terminal->size_due = !terminal->is_raw;
	if (terminal->is_raw && terminal->master_pidfd >= 0)
		(void)sys_pidfd_send(terminal->master_pidfd, SIGWINCH);
}
