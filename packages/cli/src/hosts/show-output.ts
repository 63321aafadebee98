/*
 * The output of a gateway's run onto our own stdout and stderr, as `clf logs` shows it, over lost connections.
 */
import type { LinkState } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { listenForLeave } from '../io/leave-signals.ts';
import { formatDuration } from '../render/duration.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { jsonLine } from '../render/run-json.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { createLineShaper } from '../runs/line-shaper.ts';
import { createOutputWriter } from '../runs/output-writer.ts';
import { createTailLines } from '../runs/tail-lines.ts';
import { followOutput, type FollowRequest, outputSoFar } from './follow-output.ts';
import { remoteExitCode, type RemoteExit } from './remote-run.ts';

export interface OutputRequest extends FollowRequest {
  readonly isFollowed: boolean;
  readonly flags: {
    readonly tail: number | undefined;
    readonly cursor: boolean;
    readonly timestamps: boolean;
  };
}

/* The run's own code when it has ended; 0 when we left before; 1 instead of 0 when some of it is damaged or lost. */
export async function showOutput(
  context: CommandContext,
  { isFollowed, flags, ...request }: OutputRequest,
): Promise<ExitStatus> {
  const { io, clock, random } = context;
  using leave = listenForLeave(io);
  const options = { clock, random, signal: leave.signal, onLink: createLinkTeller(context) };
  const writer = createOutputWriter({
    io,
    isJson: context.isJson,
    ...(flags.timestamps ? { shape: createLineShaper() } : {}),
  });
  const tailLines = flags.tail === undefined ? undefined : createTailLines(flags.tail);
  let reached = request.since;
  let code = exitOk;
  try {
    if (tailLines !== undefined || !isFollowed) {
      for await (const one of outputSoFar(request, options)) {
        if (one.kind !== 'event') continue;
        reached = one.event.cursor;
        if (tailLines === undefined) await writer.write(one.event);
        else tailLines.push(one.event);
      }
      for (const event of tailLines?.take() ?? []) await writer.write(event);
    }
    if (isFollowed) {
      for await (const one of followOutput({ ...request, since: reached }, options)) {
        if (one.kind === 'exit') {
          code = remoteExitCode(one.exit);
          await tellEnd(context, request.runId, one.exit);
        } else {
          reached = one.event.cursor;
          await writer.write(one.event);
        }
      }
    }
  } catch (error) {
    // Leaving ends nothing over there.
    if (!leave.signal.aborted) throw error;
  }
  if (flags.cursor && reached !== undefined) {
    await (context.isJson
      ? io.stdout.write(jsonLine({ type: 'cursor', cursor: reached }))
      : io.stderr.write(`cursor: ${reached}\n`));
  }
  return codeStatus(writer.codeAfter(code));
}

/* What ended by itself has said all there is; of anything else a code would be all that a person sees. */
async function tellEnd(
  { io, isJson }: CommandContext,
  runId: string,
  { reason, signal, actor }: RemoteExit,
): Promise<void> {
  if (isJson || reason === 'exit') return;
  const how = formatExitShort({ reason, signal: signal ?? undefined });
  const by = reason === 'manual-cancel' && actor !== null ? ` by ${actor}` : '';
  const text = makeVisible(`run ${runId.slice(0, shortIdChars)} has ended: ${how}${by}`);
  await io.stderr.write(`clf: ${text}\n`);
}

/* Only a lost connection is worth a word, and that it is back. */
function createLinkTeller({ io }: CommandContext): (state: LinkState) => void {
  let isLost = false;
  return (state) => {
    if (state.kind === 'lost') {
      isLost = true;
      const wait = formatDuration(state.retryInMs);
      void io.stderr.write(`clf: connection lost; trying again in ${wait}\n`).catch(() => {});
    } else if (state.kind === 'live' && isLost) {
      isLost = false;
      void io.stderr.write('clf: connected again\n').catch(() => {});
    }
  };
}
