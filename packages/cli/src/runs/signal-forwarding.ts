/*
 * Signals to a foreground `clf run` go where they would have gone without it.
 *
 * INT, TERM, QUIT, USR1 and USR2 are passed on. A second INT or TERM within two
 * seconds ends the whole run by the supervisor's ladder, with less patience than
 * usual: the person means it. One more, at any time, and nothing is waited for.
 * Ctrl-Z stops the run and then us, and continuing continues both. The run's own
 * group is an orphaned one, for which the kernel ignores TSTP; so it is STOP.
 * HUP is not passed on: a lost terminal is what runs are made to survive.
 */
import type { Clock } from '@clawdfather/kit';
import type { Signals } from '../io/io.ts';
import type { RunHandle } from '../place/place.ts';

/* A second Ctrl-C after this long is a new request, not impatience. */
const againMs = 2_000;
/* Who asks twice waits no longer than this for what ignores SIGTERM, unless --grace says so. */
const impatientGraceMs = 2_000;
/* The least there is: SIGKILL now. */
const noGraceMs = 1;

const passedOn: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

export interface ForwardingOptions {
  readonly run: Pick<RunHandle, 'signal' | 'cancel'>;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly actor: string;
  /* What `--grace` asked for. */
  readonly graceMs: number | undefined;
  /* The first INT went out: time to say what a second one does. */
  readonly onInterrupt: () => void;
  readonly onHangup: () => void;
  /* The run is over and we are still here, held up by whoever reads us: now it is for us. */
  readonly isOver?: () => boolean;
  readonly onImpatience?: (name: NodeJS.Signals) => void;
}

export interface Forwarding extends Disposable {
  /* The last signal of each kind that we were sent ourselves. */
  readonly received: ReadonlySet<NodeJS.Signals>;
  /* A second one has come: the whole tree is being ended. */
  readonly isEnding: boolean;
}

export function openForwarding(options: ForwardingOptions): Forwarding {
  const { run, signals, clock } = options;
  const received = new Set<NodeJS.Signals>();
  let previousMs = Number.NEGATIVE_INFINITY;
  let isEnding = false;

  const forward = async (name: NodeJS.Signals): Promise<void> => {
    if (options.isOver?.() === true) {
      options.onImpatience?.(name);
      return;
    }
    received.add(name);
    const isEndAsked = name === 'SIGINT' || name === 'SIGTERM';
    const nowMs = clock.monotonicMs();
    const isAgain = nowMs - previousMs < againMs;
    if (isEndAsked) previousMs = nowMs;
    if (isEndAsked && (isAgain || isEnding)) {
      const graceMs = isEnding ? noGraceMs : (options.graceMs ?? impatientGraceMs);
      isEnding = true;
      await run.cancel('manual-cancel', options.actor, graceMs);
      return;
    }
    await run.signal(name, options.actor);
    if (name === 'SIGINT') options.onInterrupt();
  };

  const suspend = async (): Promise<void> => {
    await run.signal('SIGSTOP', options.actor);
    signals.stopSelf();
  };

  const stack = new DisposableStack();
  const on = (name: NodeJS.Signals, work: () => void | Promise<void>): void => {
    // A run that ended in between cannot take the signal, and its end is on the way to us.
    stack.use(signals.on(name, () => void Promise.resolve(work()).catch(() => {})));
  };
  for (const name of passedOn) on(name, () => forward(name));
  on('SIGTSTP', suspend);
  on('SIGCONT', () => run.signal('SIGCONT', options.actor));
  on('SIGHUP', options.onHangup);
  return {
    received,
    get isEnding() {
      return isEnding;
    },
    [Symbol.dispose]: () => stack.dispose(),
  };
}
