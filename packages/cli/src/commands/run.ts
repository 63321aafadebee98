/*
 * `clf run`: start a command and, unless told to leave, stay with it.
 *
 * Which way to stay: on pipes; on a PTY in front of a person, whose terminal is
 * lent to it; or on a PTY with nobody in front, where a terminal model answers.
 */
import { CodedError, hasCode } from '@clawdfather/kit';
import type { OutputEvent, Stall } from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { chosen } from '../config.ts';
import { createHostFacts } from '../doctor/host-facts.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { isElsewhere } from '../hosts/place-of-host.ts';
import type { LocalTerminal, TerminalSize } from '../io/io.ts';
import { withPlace } from '../place/open-place.ts';
import type { Place, RunHandle, RunWish } from '../place/place.ts';
import { jsonLine, runJson } from '../render/run-json.ts';
import { explainNoCgroup, findDelegatedCgroup } from '../runs/delegated-cgroup.ts';
import { endedAtOnce, formatDetachedRun } from '../runs/detached-text.ts';
import { watchForeground } from '../runs/foreground.ts';
import { warnOfNamesakes } from '../runs/namesake-warning.ts';
import { replaceNamesakes } from '../runs/replace-namesakes.ts';
import { runWishFrom } from '../runs/run-wish.ts';
import { createStandstillNotice, sayStandstill } from '../runs/standstill-notice.ts';
import { watchStandstill } from '../runs/watch-standstill.ts';
import { openStartTrap, type StartTrap } from '../runs/start-trap.ts';
import { warnOfUnset } from '../runs/unset-warning.ts';
import { actorHere } from '../runs/who-asks.ts';
import { makeVisible } from '@clawdfather/tools/text';
import type { runSpec } from './run-spec.ts';

type RunCall = CallOf<typeof runSpec>;

export async function execute(call: RunCall): Promise<ExitStatus> {
  const { flags, io } = call;
  if (flags.interactive && flags.noStdin) {
    throw usageError('--interactive and --no-stdin contradict each other');
  }
  if (flags.replace && flags.name === undefined) {
    throw usageError('--replace needs a name', 'Write: clf run --replace --name NAME -- COMMAND');
  }
  const size = io.terminal?.size() ?? unseenSize(call);
  // Everything typed wrongly is said before anything is opened or started.
  const wish = runWishFrom(call, size);
  if (!flags.quiet) await warnOfUnset(call, flags.env);
  return withPlace(call, (place) => startAndStay(call, place, wish), {
    whenUnwritable: 'refuse',
    cgroupParent: needsCgroup(wish) ? findDelegatedCgroup(createHostFacts()) : undefined,
    observer: createStandstillNotice({
      io,
      isQuiet: flags.quiet,
      where: `in ${call.config.stateDir}`,
    }),
  });
}

/* Of a terminal that nobody looks at. */
function unseenSize({ config }: RunCall): TerminalSize {
  return { cols: config.values['terminal.cols'], rows: config.values['terminal.rows'] };
}

function needsCgroup({ extras: { limits } }: RunWish): boolean {
  return limits?.memoryBytes !== undefined || limits?.processes !== undefined;
}

async function startAndStay(call: RunCall, place: Place, wish: RunWish): Promise<ExitStatus> {
  const { flags, io } = call;
  using trap = openStartTrap(io.signals);
  await prepareName(call, place);
  const run = await start(place, wish, trap);
  if ('kind' in run) return run;
  await sayWhatIsPassed(call, place, wish);
  const staying: Staying = { call, place, run, trap, wish };
  if (call.isJson) {
    await io.stdout.write(jsonLine({ type: 'started', run: runJson(run.snapshot()) }));
  }
  if (flags.detach) return leave(staying);
  using _watched = tellStandstill(staying);
  if (wish.terminal === undefined) return await stay(staying);
  return await (io.terminal === undefined || call.isJson
    ? stayUnseen(staying, wish.terminal)
    : stayInFront(staying, io.terminal));
}

async function prepareName(call: RunCall, place: Place): Promise<void> {
  const { name, replace, quiet } = call.flags;
  if (name === undefined) return;
  if (replace) await replaceNamesakes(call, { place, name, isQuiet: quiet });
  else if (!quiet) await warnOfNamesakes(call, place, name);
}

/* On this machine the supervisor hears of it. */
function tellStandstill({ call, place, run }: Staying): Disposable | undefined {
  const { io, clock, flags } = call;
  if (place.gateway === undefined) return undefined;
  const words = { io, isQuiet: flags.quiet, where: `at the gateway ${place.gateway}` };
  const tell = (stall: Stall | undefined): void =>
    sayStandstill(words, run, stall?.replace('-', ' '));
  return watchStandstill({ place, run, clock, tell });
}

interface Staying {
  readonly call: RunCall;
  readonly place: Place;
  readonly run: RunHandle;
  readonly trap: StartTrap;
  readonly wish: RunWish;
}

/* The run, or how we end when a signal came before there was one. */
async function start(
  place: Place,
  wish: RunWish,
  trap: StartTrap,
): Promise<RunHandle | ExitStatus> {
  try {
    return await place.start(wish, trap.signal);
  } catch (error) {
    const signal = trap.caught();
    if (signal !== undefined) return { kind: 'signal', signal };
    throw place.gateway === undefined ? explainLimits(error) : error;
  }
}

/* What this machine lacks for limits of memory and processes. */
function explainLimits(error: unknown): unknown {
  if (!hasCode(error, 'limits-unsupported')) return error;
  const { summary, advice } = explainNoCgroup(createHostFacts());
  return new CodedError(error.code, `${error.message}: ${summary}`, { hint: advice, cause: error });
}

/* On this machine a command has our environment and our directory; at a gateway it has the gateway's, on a host those of a login. */
async function sayWhatIsPassed(call: RunCall, place: Place, wish: RunWish): Promise<void> {
  const { io, flags } = call;
  if (place.gateway === undefined || flags.quiet || !io.stderr.isTerminal) return;
  const names = Object.keys(wish.envAdditions);
  const passed =
    names.length === 0 ? 'no variable of yours (-e NAME passes one)' : names.join(', ');
  const { host } = place;
  const where = isElsewhere(host) ? `on ${makeVisible(host)}` : `at ${place.gateway}`;
  await io.stderr.write(`clf: ${where}, with ${passed}\n`).catch(() => {});
}

async function leave({ call, place, run, trap }: Staying): Promise<ExitStatus> {
  trap.disarm();
  const { io, flags, clock } = call;
  if (call.isJson) return codeStatus(exitOk);
  await io.stdout.write(`${run.runId}\n`);
  if (io.stdout.isTerminal && !flags.quiet) {
    const exit = await endedAtOnce(run, clock);
    const left = { run, flag: place.flag, hasTerminal: flags.pty, exit };
    await io.stderr.write(formatDetachedRun(left, io.columns()));
  }
  return codeStatus(exitOk);
}

async function stayInFront(
  { call, place, run, trap }: Staying,
  terminal: LocalTerminal,
): Promise<ExitStatus> {
  const { lendTerminal } = await import('../terminal/lend-terminal.ts');
  const isQuiet = call.flags.quiet;
  const status = lendTerminal({
    context: call,
    place,
    handle: run,
    terminal,
    isFresh: true,
    isQuiet,
  });
  trap.disarm();
  return status;
}

interface Unseen {
  readonly observe?: (event: OutputEvent) => Promise<void>;
  readonly shape?: (event: Extract<OutputEvent, { kind: 'output' }>) => Uint8Array;
}

function stay({ call, place, run, trap, wish }: Staying, unseen: Unseen = {}): Promise<ExitStatus> {
  const status = watchForeground({
    run,
    placeFlag: place.flag,
    io: call.io,
    clock: call.clock,
    isJson: call.isJson,
    isQuiet: call.flags.quiet,
    isInputPumped: wish.stdin === 'open',
    actor: actorHere(call.config.pid),
    detachKey: call.config.values.detachKey,
    graceMs: chosen(call.config, 'run.grace'),
    ...unseen,
  });
  // It listens since it was called.
  trap.disarm();
  return status;
}

/* A PTY whose output goes to a file, a pipe, or a terminal that cannot type back. */
async function stayUnseen(staying: Staying, size: TerminalSize): Promise<ExitStatus> {
  const { call, run } = staying;
  // Few runs need it.
  const { createQueryFilter, openQueryAnswerer } = await import('@clawdfather/tools/terminal');
  const answerer = await openQueryAnswerer({
    size,
    // A run that ended in between needs no answer.
    answer: (text) => run.write(text).catch(() => {}),
  });
  const filter = createQueryFilter();
  try {
    return await stay(staying, {
      observe: (event) => answerer.push(event),
      ...(call.io.stdout.isTerminal ? { shape: (event) => filter.push(event.bytes) } : {}),
    });
  } finally {
    answerer.close();
  }
}
