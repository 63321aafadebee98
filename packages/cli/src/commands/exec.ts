/*
 * `clf exec`: the exec tool of agents, for a person and for scripts. What the command says is shown as an agent gets it,
 * without escape sequences; `clf run` passes bytes on as they are.
 *
 * Ctrl-C ends the command, as giving up a call does. A lost terminal does not: the command goes on, and so it does
 * once it is in the background.
 */
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import { hasCode } from '@clawdfather/kit';
import type { CallOf, CommandContext } from '../command.ts';
import { makeVisible } from '@clawdfather/tools/text';
import { usageError } from '../errors.ts';
import {
  codeStatus,
  type ExitStatus,
  exitNotExecutable,
  exitNotFound,
  exitOk,
  exitOwnError,
  exitTimedOut,
  signalExitCode,
} from '../exit-status.ts';
import { type Executor, withExecutor } from '../place/executor.ts';
import { formatDuration } from '../render/duration.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { createBoundedWriter } from '../runs/bounded-writer.ts';
import { execParamsFrom } from '../runs/exec-params.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { readAllInput } from '../runs/read-all-input.ts';
import { warnOfUnset } from '../runs/unset-warning.ts';
import type { execSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof execSpec>): Promise<ExitStatus> {
  if (call.flags.stdin && call.flags.eof) {
    throw usageError('--stdin and --eof contradict each other');
  }
  const params = execParamsFrom(call);
  await warnOfUnset(call, call.flags.env);
  const stdin = call.flags.stdin ? { stdin: await readAllInput(call.io) } : {};
  return withExecutor(call, (executor) => run(call, executor, { ...params, ...stdin }));
}

async function run(
  context: CommandContext,
  executor: Executor,
  params: ExecParams,
): Promise<ExitStatus> {
  const { io } = context;
  const hurry = new AbortController();
  const giveUp = new AbortController();
  let caught: NodeJS.Signals | undefined;
  using stack = new DisposableStack();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const onSignal = (): void => {
      if (giveUp.signal.aborted) hurry.abort();
      caught = name;
      giveUp.abort();
    };
    stack.use(io.signals.on(name, onSignal));
  }
  const leave = (): void => {
    caught = 'SIGHUP';
    executor.leave();
  };
  stack.use(io.signals.on('SIGHUP', leave));
  // Whoever read us has gone: SIGPIPE would have ended the command (cli.ts tells the code).
  const shown = createBoundedWriter(io.stdout, () => giveUp.abort());
  const onOutput = context.isJson ? {} : { onOutput: (text: string) => shown.write(text) };
  try {
    const result = await executor.exec(params, { signal: giveUp.signal, ...onOutput });
    const skipped = await shown.close();
    await tell(context, params, { result, skipped, flag: executor.flag });
    return codeStatus(codeOf(result, params));
  } catch (error) {
    // Whoever pressed Ctrl-C wants it gone when the prompt is back.
    if (giveUp.signal.aborted) await executor.ended(hurry.signal);
    if (caught === undefined) await shown.close();
    const isOurs = giveUp.signal.aborted || hasCode(error, 'tools-closed');
    if (caught === undefined || !isOurs) throw error;
    return { kind: 'signal', signal: caught };
  }
}

interface Outcome {
  readonly result: ExecResult;
  /* Characters that were not shown. */
  readonly skipped: number;
  /* What follows `clf COMMAND` to mean the same place. */
  readonly flag: string;
}

async function tell(
  { io, isJson, clock }: CommandContext,
  params: ExecParams,
  { result, skipped, flag }: Outcome,
): Promise<void> {
  if (isJson) {
    await io.stdout.write(jsonLine(result as Json));
    return;
  }
  const say = (text: string): Promise<void> => io.stderr.write(`clf: ${text}\n`);
  if (skipped > 0 && 'runId' in result) {
    await say(`${skipped} characters were not shown: clf logs${flag} ${short(result.runId ?? '')}`);
  }
  if ('notes' in result) for (const note of result.notes) await say(note);
  switch (result.status) {
    case 'completed':
    case 'failed': {
      if (result.status === 'failed') await say(failureText(params, result));
      const left = result.leftovers.map(({ pid, name }) => `${name} (pid ${pid})`).join(', ');
      if (left !== '') {
        await say(`left running: ${left}   end it: clf kill${flag} ${short(result.runId)}`);
      }
      return;
    }
    case 'running': {
      const id = short(result.runId);
      if (params.background === true) await io.stdout.write(`${result.runId}\n`);
      else await say(`still running after ${formatDuration(params.yieldMs ?? 0)}, as run ${id}`);
      const isSaid = params.background !== true || io.stdout.isTerminal;
      const look = params.pty === true ? `clf screen${flag} ${id}` : `clf logs${flag} -f ${id}`;
      if (isSaid)
        await say(`see: ${look}   wait: clf wait${flag} ${id}   end it: clf kill${flag} ${id}`);
      return;
    }
    case 'approval-pending': {
      const id = short(result.approvalId);
      const leftMs = Date.parse(result.expiresAt) - clock.wallMs();
      const where = result.stateDir === undefined ? '' : `; it waits in ${result.stateDir}`;
      await say(
        `nothing has started: this has to be allowed, within ${formatDuration(leftMs)}${where}`,
      );
      await say(
        `start it: clf allow${flag} ${id}   refuse it: clf deny${flag} ${id}   see it: clf approvals${flag}`,
      );
      return;
    }
    case 'denied':
      await say(`denied by ${result.by} (${result.rule}); nothing has started`);
      await say('what is allowed: clf config show policy.cli.security policy.cli.ask');
  }
}

function failureText(
  { argv, command }: ExecParams,
  { kind, message }: Extract<ExecResult, { status: 'failed' }>,
): string {
  // Of a line the shell has named it already.
  const isNamed = command === undefined && ['command-not-found', 'not-executable'].includes(kind);
  return isNamed ? `${makeVisible(argv?.[0] ?? '')}: ${message}` : message;
}

function short(id: string): string {
  return id.slice(0, shortIdChars);
}

function codeOf(result: ExecResult, params: ExecParams): number {
  switch (result.status) {
    case 'completed':
      return result.exitCode;
    case 'failed':
      return failureCode(result);
    case 'running':
      // Who waits for it to be done must not take this for its success.
      return params.background === true ? exitOk : exitTimedOut;
    case 'approval-pending':
      return exitOwnError;
    case 'denied':
      return exitNotExecutable;
  }
}

function failureCode(result: Extract<ExecResult, { status: 'failed' }>): number {
  switch (result.kind) {
    case 'command-not-found':
      return exitNotFound;
    case 'not-executable':
      return exitNotExecutable;
    case 'overall-timeout':
    case 'no-output-timeout':
      return exitTimedOut;
    default:
      return result.exitCode || signalExitCode(result.signal ?? '') || exitOwnError;
  }
}
