/*
 * Being told to end: a sweep (mux-sweep.h), and again while it finds nothing and the session is still open.
 *
 * A command carries its lease only from its last exec on. Between the opening and that, the host's login shell may read files for
 * seconds, and a sweep finds nothing. So nothing found counts only when the session has ended, too.
 */
#include "mux.h"

#include "report.h"

static void finish(struct mux *mux, u64 last_words_ms)
{
	mux->cancel.is_done = true;
	mux->leave_ms = monotonic_ms() + last_words_ms;
}

static void hear_result(struct mux *mux)
{
	struct mux_cancel *cancel = &mux->cancel;
	const struct mux_sweep *sweep = &cancel->sweep;
	cancel->is_sweeping = false;
	cancel->found += sweep->found;
	if (!sweep->is_told) {
		report_line(mux->report_fd, "swept unconfirmed %s", sweep->failed);
		finish(mux, 0);
	} else if (sweep->left > 0) {
		report_line(mux->report_fd, "swept survivors %llu", (unsigned long long)sweep->left);
		finish(mux, LAST_WORDS_MS);
	} else {
		cancel->settle_until_ms = monotonic_ms() + (sweep->found > 0 ? LAST_WORDS_MS : SWEEP_AGAIN_MS);
	}
	mux_sweep_close(&cancel->sweep);
}

static void settle(struct mux *mux)
{
	struct mux_cancel *cancel = &mux->cancel;
	u64 now = monotonic_ms();
	if (mux->stage == MUX_OVER) {
		report_line(mux->report_fd, "swept confirmed %llu", (unsigned long long)cancel->found);
		finish(mux, LAST_WORDS_MS);
	} else if (now >= cancel->until_ms) {
		report_line(mux->report_fd, "swept unconfirmed session-open");
		finish(mux, 0);
	} else if (now >= cancel->settle_until_ms) {
		cancel->settle_until_ms = 0;
	}
}

void mux_cancel_turn(struct mux *mux)
{
	struct mux_cancel *cancel = &mux->cancel;
	if (!cancel->signal_number || cancel->is_done || mux->stage == MUX_CONNECTING || mux->stage == MUX_OPENING)
		return;
	u64 now = monotonic_ms();
	if (!cancel->until_ms)
		cancel->until_ms = after_ms(now, mux->setup.sweep_ms);
	if (!cancel->is_sweeping && !cancel->settle_until_ms) {
		mux_sweep_begin(&cancel->sweep, mux->path, mux->setup.sweep, cancel->until_ms);
		cancel->is_sweeping = true;
	}
	if (cancel->is_sweeping && mux_sweep_turn(&cancel->sweep))
		hear_result(mux);
	if (cancel->settle_until_ms)
		settle(mux);
	if (cancel->is_done)
		mux_wipe_text(mux->setup.sweep);
}

u64 mux_cancel_due_ms(const struct mux *mux, u64 now)
{
	const struct mux_cancel *cancel = &mux->cancel;
	if (cancel->is_sweeping)
		return mux_sweep_due_ms(&cancel->sweep, now);
	if (cancel->settle_until_ms && !cancel->is_done)
		return cancel->settle_until_ms < cancel->until_ms ? cancel->settle_until_ms : cancel->until_ms;
	return cancel->signal_number && !cancel->is_done && mux->stage > MUX_OPENING ? now : UINT64_MAX;
}
