/*
 * Input over HTTP.
 *
 * Input with an offset arrives once (I1): it is committed at its offset before it is sent, and a repetition is recognised by the
 * offset. So after a lost answer or a killed gateway the client simply sends the request again. Input without an offset is typed:
 * it is passed on as it comes, without a promise.
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

/* A program that has not read for so long will not read soon. */
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
  // Input that was committed before has to be delivered first, or the end would come too early.
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

/* False when the time is up first. Input that was taken is kept and delivered later. */
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
