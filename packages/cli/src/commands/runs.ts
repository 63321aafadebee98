/*
 * `clf runs ls | show | start | input`: the runs of a gateway, over its API.
 */
import { resolve } from 'node:path';
import type { CallOf, Execute } from '../command.ts';
import { usageError } from '../errors.ts';
import {
  codeStatus,
  type ExitStatus,
  exitNotExecutable,
  exitNotFound,
  exitOk,
  exitOwnError,
} from '../exit-status.ts';
import { formatStall } from '../render/run-table.ts';
import { makeVisible } from '@clawdfather/tools/text';
import { allPages } from '../hosts/all-pages.ts';
import { type OpenedHost, withHost } from '../hosts/open-client.ts';
import { findRemoteRun, type RemoteRun } from '../hosts/remote-run.ts';
import { showOutput } from '../hosts/show-output.ts';
import { formatSummaryTable } from '../hosts/summary-table.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { readAllInput } from '../runs/read-all-input.ts';
import type {
  runsInputSpec,
  runsListSpec,
  runsLogsSpec,
  runsShowSpec,
  runsStartSpec,
} from './runs-specs.ts';

type StartCall = CallOf<typeof runsStartSpec>;

const rowsUsual = 100;

export const list: Execute<typeof runsListSpec> = (context) =>
  withHost(context, async ({ client, target }) => {
    const { flags, io, paint, clock } = context;
    const { limit = rowsUsual } = flags;
    const state = flags.all ? {} : ({ state: 'running' } as const);
    const newest = await allPages(
      (page) => client.runs.list({ query: { ...page, ...state } }),
      limit,
    );
    const runs = newest.reverse();
    if (context.isJson) for (const run of runs) await io.stdout.write(jsonLine(run as Json));
    else if (flags.quiet) for (const { runId } of runs) await io.stdout.write(`${runId}\n`);
    else if (runs.length === 0) {
      const more = flags.all
        ? 'Start one: clf runs start -- sleep 60'
        : 'Finished ones: clf runs ls -a';
      await io.stdout.write(`Nothing is running at ${target.url}. ${more}\n`);
    } else {
      const layout = { paint, nowMs: clock.wallMs(), columnsMax: io.columns() };
      await io.stdout.write(formatSummaryTable(runs, layout));
    }
    return codeStatus(exitOk);
  });

export const show: Execute<typeof runsShowSpec> = (context) =>
  withHost(context, async ({ client }) => {
    const { io, paint } = context;
    const id = await findRemoteRun(client, context.operands.run);
    const run = await client.runs.get({ params: { id } });
    if (context.isJson) await io.stdout.write(jsonLine(run as unknown as Json));
    else {
      const rows = rowsOf(run);
      const width = Math.max(...rows.map(([name]) => name.length));
      for (const [name, value] of rows) {
        await io.stdout.write(`${paint.dim(name.padEnd(width))}  ${makeVisible(value)}\n`);
      }
    }
    return codeStatus(exitOk);
  });

function rowsOf(run: RemoteRun): (readonly [string, string])[] {
  const { exit } = run;
  const found: (readonly [string, string | number | null | undefined])[] = [
    ['id', run.runId],
    ['command', run.command],
    ['state', run.stalled === undefined ? run.state : formatStall(run.stalled)],
    ['directory', run.cwd],
    ['host', run.host],
    ['pid', run.pid],
    ['requester', run.requester],
    ['started', run.startedAt],
    ['ended', run.endedAt],
    ['reason', exit?.reason],
    ['code', exit?.code],
    ['signal', exit?.signal],
    ['actor', exit?.actor],
    ['detail', exit?.detail],
    ['approval', run.approvalId],
  ];
  return found.flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as const],
  );
}

export const start: Execute<typeof runsStartSpec> = (context) =>
  withHost(context, async (host) => {
    const { client } = host;
    const { random, io } = context;
    const body = startParams(context, host);
    // Said again after a lost answer, it starts nothing a second time.
    const result = await client.runs.create({ body }, { idempotencyKey: random.id() });
    if (result.status === 'running') return started(context, host, result.runId);
    if (context.isJson) await io.stdout.write(jsonLine(result as unknown as Json));
    const say = (text: string): Promise<void> => io.stderr.write(`clf: ${makeVisible(text)}\n`);
    switch (result.status) {
      case 'approval-pending':
        await say(`nothing has started: this has to be allowed, until ${result.expiresAt}`);
        await io.stderr.write(
          `  Whoever may decide sees it with clf approvals: clf allow ${result.approvalId}\n`,
        );
        return codeStatus(exitOwnError);
      case 'denied':
        await say(`denied by ${result.by} (${result.rule}); nothing has started`);
        return codeStatus(exitNotExecutable);
      case 'failed':
        await say(result.message);
        return codeStatus(failureCode(result.kind));
      case 'completed':
        return codeStatus(result.exitCode);
    }
  });

function failureCode(kind: string): number {
  if (kind === 'command-not-found') return exitNotFound;
  return kind === 'not-executable' ? exitNotExecutable : exitOwnError;
}

async function started(context: StartCall, host: OpenedHost, runId: string): Promise<ExitStatus> {
  const { io, flags } = context;
  const short = runId.slice(0, shortIdChars);
  const isTold = io.stdout.isTerminal && !context.isJson;
  const end = `end it: clf runs kill ${short}`;
  if (!flags.follow) {
    await io.stdout.write(context.isJson ? jsonLine({ runId }) : `${runId}\n`);
    if (isTold) await io.stderr.write(`clf: output: clf runs logs -f ${short}   ${end}\n`);
    return codeStatus(exitOk);
  }
  // A person expects Ctrl-C to end it, and would not know what to end afterwards.
  if (isTold) await io.stderr.write(`clf: run ${short}; Ctrl-C leaves it running   ${end}\n`);
  const flagsOfLogs = { tail: undefined, cursor: false, timestamps: false };
  const request = { client: host.client, runId, since: undefined, isFollowed: true };
  return showOutput(context, { ...request, flags: flagsOfLogs });
}

/* As `clf run` has it: on this machine in the directory where one is, and without a time limit that nobody asked for. */
function startParams({ flags, operands, config }: StartCall, { target }: OpenedHost) {
  const line = flags.command;
  const argv = [...operands.command];
  if ((line === undefined) === (argv.length === 0)) {
    throw usageError('give either a command or -c LINE', 'clf runs start -- make test');
  }
  const cwd = target.isLocal ? resolve(config.cwd, flags.cwd ?? '') : flags.cwd;
  const env = Object.fromEntries(flags.env.map(({ name, value }) => [name, value]));
  return {
    ...(line === undefined ? { argv } : { command: line }),
    ...(cwd === undefined ? {} : { workdir: cwd }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    timeoutSeconds: (flags.timeout ?? 0) / 1_000,
    pty: flags.pty,
    background: true,
  };
}

/* Of one request; what is longer goes in pieces, each at its offset. */
const pieceBytesMax = 65_536;

export const input: Execute<typeof runsInputSpec> = (context) =>
  withHost(context, async ({ client }) => {
    const { io } = context;
    const { run: typed, text = '-' } = context.operands;
    const id = await findRemoteRun(client, typed);
    const bytes = Buffer.from(text === '-' ? await readAllInput(io) : text);
    const params = { id };
    let { inputOffset: offset } = await client.runs.get({ params });
    for (let at = 0; at < bytes.length || at === 0; at += pieceBytesMax) {
      const piece = bytes.subarray(at, at + pieceBytesMax);
      const isLast = at + pieceBytesMax >= bytes.length;
      const eof = isLast && context.flags.eof;
      const data = piece.toString('base64');
      const answer = await client.runs.input({
        params,
        body: { offset, data, encoding: 'base64', eof },
      });
      offset = answer.inputOffset;
    }
    if (context.isJson) await io.stdout.write(jsonLine({ id, bytes: bytes.length }));
    return codeStatus(exitOk);
  });

export const logs: Execute<typeof runsLogsSpec> = (context) =>
  withHost(context, async ({ client }) => {
    const { flags } = context;
    const runId = await findRemoteRun(client, context.operands.run);
    const { since, follow: isFollowed } = flags;
    await showOutput(context, { client, runId, since, isFollowed, flags });
    return codeStatus(exitOk);
  });
