/*
 * Input over HTTP.
 *
 * With an offset it arrives once (I1): it is committed at its place in the run's input before it is sent, and said again it is
 * recognised by its place. So a client that lost the answer, or a gateway that was killed before giving it, costs nothing but a
 * second request. Without an offset it is typed: taken as it comes, and not promised.
 */
import { type Clock, within } from '@clawdfather/kit';
import type { AnswerOf, Api, RequestOf } from '@clawdfather/protocol/api';
import type { ManagedRun, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { bytesOf } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';

export interface InputDeps {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
}

type Input = Api['runs']['input'];

/* A program that does not read for so long will not soon. */
const deliverMs = 10_000;

export async function giveInput(
  { supervisor, clock }: InputDeps,
  record: RunRecord,
  { offset, data, encoding, eof: isEof }: RequestOf<Input>['body'],
): Promise<AnswerOf<Input>> {
  const { runId, mode } = record;
  const bytes = bytesOf(data, encoding);
  if (bytes === undefined) throw invalid('data: this is not base64');
  if (bytes.length === 0 && !isEof) throw invalid('there is nothing to send: give data or eof');
  if (isEof && offset !== undefined && mode !== 'child') {
    throw invalid('on a terminal end of input is a key: send it as data, \\u0004');
  }
  const run = await supervisor.attach(runId);
  const taking = write(run, { bytes, offset, record });
  // What was kept for it before has to be there first, or the end would come too early.
  const rest = (): Promise<void> => run.write('', { offset: supervisor.inputOffset(runId) });
  const isDelivered = await isTaken(clock, isEof ? taking.then(rest) : taking);
  if (isEof && isDelivered) {
    if (record.exit !== undefined) throw ended();
    await run.end();
  }
  const inputOffset = supervisor.inputOffset(runId);
  return { runId, bytes: bytes.length, inputOffset, isEof: isEof && isDelivered, isDelivered };
}

interface Writing {
  readonly bytes: Uint8Array;
  readonly offset: number | undefined;
  readonly record: RunRecord;
}

async function write(run: ManagedRun, { bytes, offset, record }: Writing): Promise<void> {
  if (offset !== undefined) return run.write(bytes, { offset });
  if (bytes.length === 0) return undefined;
  if (record.exit !== undefined) throw ended();
  return run.write(bytes);
}

/* False when the time is up first; what was taken is kept and delivered. */
async function isTaken(clock: Clock, written: Promise<void>): Promise<boolean> {
  const taken = written.then(() => true);
  return within(taken, { clock, ms: deliverMs, late: () => false });
}

function ended(): ApiError {
  return new ApiError('not_running', 'the run has ended');
}

function invalid(message: string): ApiError {
  return new ApiError('validation_error', message);
}
