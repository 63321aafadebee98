/* See ladder.h. */
#include "ladder.h"

#include <stddef.h>

struct ladder_step ladder_next(enum ladder state, enum ladder_event event)
{
	if (state == LADDER_DONE)
		return (struct ladder_step){LADDER_DONE, DO_NOTHING};
	if (event == ON_EMPTY)
		return (struct ladder_step){LADDER_DONE, DO_END};
	if (state == LADDER_IDLE && event == ON_ASK)
		return (struct ladder_step){LADDER_TERM, DO_TERM};
	if (state == LADDER_TERM && event == ON_TICK)
		return (struct ladder_step){LADDER_TERM, DO_WARN};
	if (state == LADDER_TERM && event == ON_GRACE_OVER)
		return (struct ladder_step){LADDER_KILL, DO_KILL};
	if (state == LADDER_KILL && event == ON_TICK)
		return (struct ladder_step){LADDER_KILL, DO_KILL};
	if (state == LADDER_KILL && event == ON_KILL_OVER)
		return (struct ladder_step){LADDER_GAVE_UP, DO_GIVE_UP};
	if (state == LADDER_GAVE_UP && event == ON_TICK)
		return (struct ladder_step){LADDER_GAVE_UP, DO_KILL};
	return (struct ladder_step){state, DO_NOTHING};
}

const char *ladder_self_test(void)
{
	for (enum ladder state = 0; state < LADDER_COUNT; state++) {
		for (enum ladder_event event = 0; event < LADDER_EVENT_COUNT; event++) {
			struct ladder_step step = ladder_next(state, event);
			if (step.next < state)
				return "the ladder went down a rung";
			if (event == ON_EMPTY && step.next != LADDER_DONE)
				return "an empty tree did not end the run";
			if (event != ON_EMPTY && step.next == LADDER_DONE && state != LADDER_DONE)
				return "the run ended without proof";
			if (step.action == DO_KILL && state < LADDER_TERM)
				return "a kill without a warning";
			if (step.action == DO_WARN && state != LADDER_TERM)
				return "a warning off its rung";
			if (step.action == DO_END && (state == LADDER_DONE || event != ON_EMPTY))
				return "a second end";
			struct ladder_step again = ladder_next(step.next, event);
			if (event == ON_ASK && again.action != DO_NOTHING)
				return "asking twice was not harmless";
		}
	}
	return NULL;
}
