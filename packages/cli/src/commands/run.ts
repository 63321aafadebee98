/*
 * `clf run`: start a command and, unless told to leave, stay with it.
 *
 * Which way to stay: on pipes; on a PTY in front of a person, whose terminal is
 * lent to it; or on a PTY with nobody in front, where a terminal model answers.
 */
import type { ManagedRun, OutputEvent, SpawnInput, Supervisor } from '@clawdfather/supervisor';
import type { CommandContext } from '../command.ts';
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

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { args, io } = context;
  if (args.has('interactive') && args.has('no-stdin')) {
    throw usageError('--interactive and --no-stdin contradict each other');
  }
  const size = io.terminal?.size() ?? unseenSize(context);
  // Everything typed wrongly is said before anything is opened or started.
  const input = spawnInputFrom(args, { config: context.config, size });
  const use = (supervisor: Supervisor): Promise<ExitStatus> =>
    startAndStay(context, supervisor, input);
  return withSupervisor(context, use, {
    whenUnwritable: 'refuse',
    cgroupParent: needsCgroup(input) ? findDelegatedCgroup(createHostFacts()) : undefined,
    observer: createStandstillNotice(context),
  });
}

/* Of a terminal that nobody looks at. */
function unseenSize({ config }: CommandContext): TerminalSize {
  return { cols: config.values['terminal.cols'], rows: config.values['terminal.rows'] };
}

function needsCgroup({ limits }: SpawnInput): boolean {
  return limits?.memoryBytes !== undefined || limits?.processes !== undefined;
}

async function startAndStay(
  context: CommandContext,
  supervisor: Supervisor,
  input: SpawnInput,
): Promise<ExitStatus> {
  const { args, io } = context;
  using trap = openStartTrap(io.signals);
  const started = await start({ context, supervisor, trap }, input);
  if ('kind' in started) return started;
  const staying: Staying = { context, run: started, trap };
  if (context.isJson) {
    await io.stdout.write(jsonLine({ type: 'started', run: runJson(started.snapshot()) }));
  }
  if (args.has('detach')) return leave(staying);
  if (input.mode === 'child') return await stay(staying);
  return await (io.terminal === undefined || context.isJson
    ? stayUnseen(staying, io.terminal?.size() ?? unseenSize(context))
    : stayInFront(staying, io.terminal));
}

interface Starting {
  readonly context: CommandContext;
  readonly supervisor: Supervisor;
  readonly trap: StartTrap;
}

interface Staying {
  readonly context: CommandContext;
  readonly run: ManagedRun;
  readonly trap: StartTrap;
}

/* The run, or how we end when a signal came before there was one. */
async function start(
  { context, supervisor, trap }: Starting,
  input: SpawnInput,
): Promise<ManagedRun | ExitStatus> {
  try {
    return await supervisor.spawn({ ...input, signal: trap.signal });
  } catch (error) {
    const signal = trap.caught();
    if (signal !== undefined) return { kind: 'signal', signal };
    const program = context.args.operands[0] ?? '';
    throw explainSpawnFailure(error, { program, cwd: input.cwd });
  }
}

async function leave({ context, run, trap }: Staying): Promise<ExitStatus> {
  trap.disarm();
  const { io, args } = context;
  if (context.isJson) return codeStatus(exitOk);
  await io.stdout.write(`${run.runId}\n`);
  if (io.stdout.isTerminal && !args.has('quiet')) {
    const id = shortId(run);
    const back = args.has('pty') ? `screen: clf attach ${id}` : `output: clf logs -f ${id}`;
    await io.stderr.write(`clf: ${back}   end it: clf kill ${id}\n`);
  }
  return codeStatus(exitOk);
}

async function stayInFront(
  { context, run, trap }: Staying,
  terminal: LocalTerminal,
): Promise<ExitStatus> {
  const { lendTerminal } = await import('../terminal/lend-terminal.ts');
  const status = lendTerminal({ context, run, terminal, isFresh: true });
  trap.disarm();
  return status;
}

interface Unseen {
  readonly observe?: (event: OutputEvent) => Promise<void>;
  readonly shape?: (event: Extract<OutputEvent, { kind: 'output' }>) => Uint8Array;
}

function stay({ context, run, trap }: Staying, unseen: Unseen = {}): Promise<ExitStatus> {
  const status = watchForeground({
    run,
    io: context.io,
    clock: context.clock,
    isJson: context.isJson,
    isQuiet: context.args.has('quiet'),
    isInputPumped: stdinFrom(context.args) === 'open',
    actor: `cli:${context.config.pid}`,
    graceMs: chosen(context.config, 'run.grace'),
    ...unseen,
  });
  // It listens since it was called.
  trap.disarm();
  return status;
}

/* A PTY whose output goes to a file, a pipe, or a terminal that cannot type back. */
async function stayUnseen(staying: Staying, size: TerminalSize): Promise<ExitStatus> {
  const { context, run } = staying;
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
      ...(context.io.stdout.isTerminal ? { shape: (event) => filter.push(event.bytes) } : {}),
    });
  } finally {
    answerer.close();
  }
}
