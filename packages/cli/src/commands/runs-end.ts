/*
 * `clf runs kill | wait | rm`: how runs of a gateway end.
 */
import { hasCode } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { CommandContext, Execute } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk, exitOwnError, exitTimedOut } from '../exit-status.ts';
import { explainRefusal, withHost } from '../hosts/open-client.ts';
import { findRemoteRun, remoteExitCode, type RemoteRun } from '../hosts/remote-run.ts';
import { formatErrorJson, formatErrorText } from '../render/error-text.ts';
import { createPaint, isColoured } from '../render/paint.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import type { runsKillSpec, runsRemoveSpec, runsWaitSpec } from './runs-specs.ts';

/* One question to the gateway waits this long; then it is asked again. */
const waitMsMax = 50_000;

export const kill: Execute<typeof runsKillSpec> = (context) => {
  const { signal, grace: graceMs } = context.flags;
  if (signal !== undefined && graceMs !== undefined) {
    throw usageError('--signal only sends a signal, so --grace means nothing with it');
  }
  return each(context, async (client, id) => {
    const params = { id };
    if (signal !== undefined) {
      await client.runs.signal({ params, body: { signal } });
      return { text: id, json: { id, signal } };
    }
    const body = graceMs === undefined ? {} : { graceMs };
    const { reason, isGone } = await client.runs.cancel({ params, body });
    const left = isGone ? '' : ', something of it could not be ended';
    return {
      text: `${id} ${reason ?? 'ended'}${left}`,
      json: { id, isGone, reason: reason ?? null },
    };
  });
};

export const remove: Execute<typeof runsRemoveSpec> = (context) =>
  each(context, async (client, id) => {
    const force = context.flags.force ? 'true' : 'false';
    await client.runs.remove({ params: { id }, query: { force } });
    return { text: id, json: { id, removed: true } };
  });

export const wait: Execute<typeof runsWaitSpec> = (context) =>
  withHost(context, async ({ client }) => {
    const { io, clock } = context;
    const { timeout: limitMs } = context.flags;
    const untilMs = clock.monotonicMs() + (limitMs ?? Number.POSITIVE_INFINITY);
    let code = exitOk;
    for (const typed of context.operands.runs) {
      const id = await findRemoteRun(client, typed);
      const { exit } = await waitFor(context, client, { id, untilMs });
      code = exit === null ? exitTimedOut : remoteExitCode(exit);
      if (context.isJson) {
        const json = exit === null ? null : { ...(exit as Record<string, Json>), exitCode: code };
        await io.stdout.write(jsonLine({ id, exit: json }));
      }
    }
    return codeStatus(code);
  });

/* Ends with the run, or when the time is up. */
async function waitFor(
  { clock }: CommandContext,
  client: Client,
  { id, untilMs }: { readonly id: string; readonly untilMs: number },
): Promise<RemoteRun> {
  for (;;) {
    const leftMs = Math.max(0, Math.round(untilMs - clock.monotonicMs()));
    const query = { timeoutMs: Math.min(waitMsMax, leftMs) };
    const run = await client.runs.wait({ params: { id }, query });
    if (run.exit !== null || leftMs <= waitMsMax) return run;
  }
}

interface Told {
  readonly text: string;
  readonly json: Json;
}

/* Each is tried and told; one failure makes the whole exit code 125. */
function each(
  context: CommandContext & { readonly operands: { readonly runs: readonly string[] } },
  work: (client: Client, id: string) => Promise<Told>,
): Promise<ExitStatus> {
  return withHost(context, async ({ client, target }) => {
    const { operands, io, isJson, config } = context;
    const paint = createPaint(isColoured(config, io.stderr));
    let code = exitOk;
    for (const typed of operands.runs) {
      try {
        const told = await work(client, await findRemoteRun(client, typed));
        await io.stdout.write(isJson ? jsonLine(told.json) : `${told.text}\n`);
      } catch (thrown) {
        const error = await explainRefusal(target, thrown);
        // Without a sign-in none of them would work.
        if (hasCode(error, 'not-signed-in')) throw error;
        code = exitOwnError;
        await (isJson
          ? io.stdout.write(jsonLine({ typed, ...(formatErrorJson(error) as object) }))
          : io.stderr.write(formatErrorText(error, paint)));
      }
    }
    return codeStatus(code);
  });
}
