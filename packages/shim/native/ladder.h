/*
 * Termination as a pure transition (T1, T2): one path for cancel, both timeouts, owner loss and leftovers.
 *
 *   idle --ask--> term --grace over--> kill --kill over--> gave-up
 *     \______________\____________________\__________________\--empty--> done
 *
 * `empty` is waitpid's ECHILD: the proof that nothing is left. The self-test walks every state and event.
 */
#ifndef CLF_LADDER_H
#define CLF_LADDER_H

#include <stdbool.h>

enum ladder { LADDER_IDLE, LADDER_TERM, LADDER_KILL, LADDER_GAVE_UP, LADDER_DONE, LADDER_COUNT };
enum ladder_event { ON_ASK, ON_GRACE_OVER, ON_KILL_OVER, ON_TICK, ON_EMPTY, LADDER_EVENT_COUNT };
enum ladder_action { DO_NOTHING, DO_TERM, DO_WARN, DO_KILL, DO_GIVE_UP, DO_END };

struct ladder_step {
	enum ladder next;
	enum ladder_action action;
};

struct ladder_step ladder_next(enum ladder state, enum ladder_event event);
/* Walks the whole table; returns what is wrong, or NULL. */
const char *ladder_self_test(void);

#endif
