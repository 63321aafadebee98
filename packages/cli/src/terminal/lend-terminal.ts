/*
 * From "a run and a terminal" to an exit status: what `attach` and
 * `run --pty` share. Says the detach key once, and afterwards where things stand.
 *
 * Signals: a run we started ourselves gets what we are sent, as in `clf run` on
 * pipes. An attached one is not ours: TERM and HUP only make us leave.
 */
import type { CommandContext } from '../command.ts';
import { chosen } from '../config.ts';
import { codeStatus, type ExitStatus, exitCodeOf, exitOk } from '../exit-status.ts';
import type { LocalTerminal } from '../io/io.ts';
import type { Place, RunHandle } from '../place/place.ts';
import { formatExitNotice } from '../render/exit-text.ts';
import { shortId } from '../runs/find-run.ts';
import { formatDetached, formatHowToLeave } from '../runs/leaving-text.ts';
import { actorHere } from '../runs/who-asks.ts';
import { openForwarding } from '../runs/signal-forwarding.ts';
import { detachKeyText } from './detach-key.ts';
import { runTerminalSession, type TerminalSessionOptions } from './terminal-session.ts';

export interface LendOptions {
  readonly context: CommandContext;
  readonly place: Place;
  readonly handle: RunHandle;
  readonly terminal: LocalTerminal;
  /* We have just started it. */
  readonly isFresh: boolean;
  /* The detach key is not mentioned. */
  readonly isQuiet: boolean;
}

export async function lendTerminal(options: LendOptions): Promise<ExitStatus> {
  const { context, place, handle: run, terminal } = options;
  const { io, clock } = context;
  const id = shortId(run);
  const say = (text: string): Promise<void> => io.stderr.write(`${text}\r\n`).catch(() => {});

  const leave = new AbortController();
  let leftBy: NodeJS.Signals | undefined;
  const leaveBy = (name: NodeJS.Signals) => (): void => {
    leftBy = name;
    leave.abort();
  };
  using stack = new DisposableStack();
  if (options.isFresh) {
    stack.use(
      openForwarding({
        run,
        signals: io.signals,
        clock,
        actor: actorHere(context.config.pid),
        graceMs: chosen(context.config, 'run.grace'),
        onInterrupt: () => {},
        onHangup: leaveBy('SIGHUP'),
      }),
    );
  } else {
    for (const name of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) {
      stack.use(io.signals.on(name, leaveBy(name)));
    }
  }

  const { detachKey } = context.config.values;
  const how = detachKeyText(detachKey);
  const isSaid = !options.isQuiet && how !== undefined;
  const { isFresh } = options;
  const open: TerminalSessionOptions['open'] = (signal, onLost) =>
    place.openTerminal(run, { isFresh, size: () => terminal.size(), signal, onLost });
  const end = await runTerminalSession({
    open,
    io,
    terminal,
    clock,
    detachKey,
    notice: isSaid ? formatHowToLeave(run, [how]) : undefined,
    leave: leave.signal,
  });
  const detached = `\r\n${formatDetached(run, place.flag)}`;
  switch (end) {
    case 'detached':
      await say(detached);
      return codeStatus(exitOk);
    case 'terminal-lost':
      await say(detached);
      return { kind: 'signal', signal: leftBy ?? 'SIGHUP' };
    case 'run-ended': {
      const exit = await run.wait();
      const notice = formatExitNotice(exit, run.snapshot().deadlines);
      if (notice !== undefined) await say(`[clf: run ${id} ${notice}]`);
      return codeStatus(exitCodeOf(exit));
    }
  }
}
