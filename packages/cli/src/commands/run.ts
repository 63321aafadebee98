/*
 * `clf run`: start a command and, unless told to leave, stay with it.
 *
 * Which way to stay: on pipes; on a PTY in front of a person, whose terminal is
 * lent to it; or on a PTY with nobody in front, where a terminal model answers.
 */
import type { ManagedRun, OutputEvent, SpawnInput, Supervisor } from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { chosen } from '../config.ts';
import { usageError } from '../errors.ts';
import { createHostFacts } from '../doctor/host-facts.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import type { LocalTerminal, TerminalSize } from '../io/io.ts';
import { jsonLine, runJson } from '../render/run-json.ts';
import { shortId } from '../runs/find-run.ts';
import { findDelegatedCgroup } from '../runs/delegated-cgroup.ts';
import { watchForeground } from '../runs/foreground.ts';
import { explainSpawnFailure } from '../runs/spawn-failure.ts';
import { spawnInputFrom, stdinFrom } from '../runs/spawn-input.ts';
import { createStandstillNotice } from '../runs/standstill-notice.ts';
import { openStartTrap, type StartTrap } from '../runs/start-trap.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { runSpec } from './run-spec.ts';

type RunCall = CallOf<typeof runSpec>;

export async function execute(call: RunCall): Promise<ExitStatus> {
  const { flags, io } = call;
  if (flags.interactive && flags.noStdin) {
    throw usageError('--interactive and --no-stdin contradict each other');
  }
  const size = io.terminal?.size() ?? unseenSize(call);
  // Everything typed wrongly is said before anything is opened or started.
  const input = spawnInputFrom(call, size);
  const use = (supervisor: Supervisor): Promise<ExitStatus> =>
    startAndStay(call, supervisor, input);
  return withSupervisor(call, use, {
    whenUnwritable: 'refuse',
    cgroupParent: needsCgroup(input) ? findDelegatedCgroup(createHostFacts()) : undefined,
    observer: createStandstillNotice(io, flags.quiet),
  });
}

/* Of a terminal that nobody looks at. */
function unseenSize({ config }: RunCall): TerminalSize {
  return { cols: config.values['terminal.cols'], rows: config.values['terminal.rows'] };
}

function needsCgroup({ limits }: SpawnInput): boolean {
  return limits?.memoryBytes !== undefined || limits?.processes !== undefined;
}

async function startAndStay(
  call: RunCall,
  supervisor: Supervisor,
  input: SpawnInput,
): Promise<ExitStatus> {
  const { flags, io } = call;
  using trap = openStartTrap(io.signals);
  const started = await start({ call, supervisor, trap }, input);
  if ('kind' in started) return started;
  const staying: Staying = { call, run: started, trap };
  if (call.isJson) {
    await io.stdout.write(jsonLine({ type: 'started', run: runJson(started.snapshot()) }));
  }
  if (flags.detach) return leave(staying);
  if (input.mode === 'child') return await stay(staying);
  return await (io.terminal === undefined || call.isJson
    ? stayUnseen(staying, io.terminal?.size() ?? unseenSize(call))
    : stayInFront(staying, io.terminal));
}

interface Starting {
  readonly call: RunCall;
  readonly supervisor: Supervisor;
  readonly trap: StartTrap;
}

interface Staying {
  readonly call: RunCall;
  readonly run: ManagedRun;
  readonly trap: StartTrap;
}

/* The run, or how we end when a signal came before there was one. */
async function start(
  { call, supervisor, trap }: Starting,
  input: SpawnInput,
): Promise<ManagedRun | ExitStatus> {
  try {
    return await supervisor.spawn({ ...input, signal: trap.signal });
  } catch (error) {
    const signal = trap.caught();
    if (signal !== undefined) return { kind: 'signal', signal };
    const program = call.operands.command[0] ?? '';
    throw explainSpawnFailure(error, { program, cwd: input.cwd });
  }
}

async function leave({ call, run, trap }: Staying): Promise<ExitStatus> {
  trap.disarm();
  const { io, flags } = call;
  if (call.isJson) return codeStatus(exitOk);
  await io.stdout.write(`${run.runId}\n`);
  if (io.stdout.isTerminal && !flags.quiet) {
    const id = shortId(run);
    const back = flags.pty ? `screen: clf attach ${id}` : `output: clf logs -f ${id}`;
    await io.stderr.write(`clf: ${back}   end it: clf kill ${id}\n`);
  }
  return codeStatus(exitOk);
}

async function stayInFront(
  { call, run, trap }: Staying,
  terminal: LocalTerminal,
): Promise<ExitStatus> {
  const { lendTerminal } = await import('../terminal/lend-terminal.ts');
  const status = lendTerminal({
    context: call,
    run,
    terminal,
    isFresh: true,
    isQuiet: call.flags.quiet,
  });
  trap.disarm();
  return status;
}

interface Unseen {
  readonly observe?: (event: OutputEvent) => Promise<void>;
  readonly shape?: (event: Extract<OutputEvent, { kind: 'output' }>) => Uint8Array;
}

function stay({ call, run, trap }: Staying, unseen: Unseen = {}): Promise<ExitStatus> {
  const status = watchForeground({
    run,
    io: call.io,
    clock: call.clock,
    isJson: call.isJson,
    isQuiet: call.flags.quiet,
    isInputPumped: stdinFrom(call.flags) === 'open',
    actor: `cli:${call.config.pid}`,
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
