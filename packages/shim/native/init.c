/*
 * `init PROGRAM ARGUMENT …`: the first process of a container, above the gateway (E1). Node reaps only what it started itself,
 * so orphans that the kernel hands to process 1 would stay as zombies. This one starts the program, passes signals on to it,
 * reaps whatever ends, and ends as the program did.
 *
 * A terminal sends Ctrl-C to the whole group, the program included; such a signal comes from the kernel and is not passed on, or
 * the program would see it twice and take it for an order to hurry.
 */
#include "init.h"

#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void start_program(char **argv, const sigset_t *none)
{
	if (reset_signals() != 0 || sigprocmask(SIG_SETMASK, none, NULL) != 0)
		_exit(126);
	execv(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* True once the program has ended; whatever else has is only reaped. */
static bool reap(pid_t program, int *status)
{
	bool ended = false;
	for (;;) {
		int found;
		pid_t pid = waitpid(-1, &found, WNOHANG);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			return ended;
		if (pid == program) {
			*status = found;
			ended = true;
		}
	}
}

int init_main(char **argv)
{
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &all, NULL) != 0 || prctl(PR_SET_NAME, "clf-init") != 0)
		return 126;
	pid_t program = fork();
	if (program < 0) {
		fprintf(stderr, "clawdfather-shim init: %s\n", strerror(errno));
		return 126;
	}
	if (program == 0)
		start_program(argv, &none);
	for (;;) {
		siginfo_t info;
		int number = sigwaitinfo(&all, &info);
		if (number < 0)
			continue;
		int status;
		if (number == SIGCHLD) {
			if (reap(program, &status))
				return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		} else if (info.si_code != SI_KERNEL) {
			/* It may have ended this moment; then its status comes next. */
			(void)kill(program, number);
		}
	}
}
