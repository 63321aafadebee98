/*
 * Input for a run of a gateway, in order and once.
 *
 * Of a run that we have started, every byte has its place in the run's input (I1): what may have been lost on the way is sent again and
 * taken once. A run that others type into as well has no such places; there a lost answer is told, and nothing is sent twice.
 */
import { backoffMs, type Clock, type Random } from '@clawdfather/kit';
import { type Client, RefusedError } from '@clawdfather/sdk';
import type { RunId } from '@clawdfather/supervisor';
import { isPassing } from './retried.ts';

export interface InputSender {
  /* Resolves when the run has taken the bytes, or they are kept for it. */
  send(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

export interface InputSenderDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly runId: RunId;
  /* Nobody but us sends input at offsets. */
  readonly isOurs: boolean;
  readonly isTerminal: boolean;
  /* Aborts when nobody waits any more. */
  readonly closing: AbortSignal;
  /* Of a run that is not ours alone: so many bytes may not have arrived. Without it that is an error. */
  readonly onLost?: (bytes: number) => void;
}

/* In base64 this is well below what one request takes. */
const pieceBytesMax = 65_536;

interface Piece {
  readonly bytes: Uint8Array;
  readonly isEof: boolean;
}

export function createInputSender(deps: InputSenderDeps): InputSender {
  const { client, clock, random, runId, isOurs, isTerminal, closing } = deps;
  let offset = 0;
  let last: Promise<void> = Promise.resolve();

  const post = async ({ bytes, isEof }: Piece) =>
    client.runs.input({
      params: { id: runId },
      body: {
        // On a terminal the end of input is a key, which has no place.
        ...(isOurs && !(isEof && isTerminal) ? { offset } : {}),
        data: Buffer.from(bytes).toString('base64'),
        encoding: 'base64',
        eof: isEof,
      },
    });

  const give = async (piece: Piece): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await post(piece);
        offset = answer.inputOffset;
        // An end that waits behind unread input is asked for until it is there.
        if (!piece.isEof || answer.isEof) return;
      } catch (error) {
        if (!isOurs && isPassing(error) && deps.onLost !== undefined) {
          deps.onLost(piece.bytes.length);
          return;
        }
        if (!isOurs || !isWorthRetrying(error)) throw error;
      }
      await clock.sleep(backoffMs(attempt, random), closing);
    }
  };

  const next = (piece: Piece): Promise<void> => {
    const given = last.then(() => give(piece));
    // Whoever sent it hears of a failure; those behind it are tried all the same.
    last = given.catch(() => {});
    return given;
  };

  return {
    send: async (bytes) => {
      for (let at = 0; at < bytes.length; at += pieceBytesMax) {
        await next({ bytes: bytes.subarray(at, at + pieceBytesMax), isEof: false });
      }
    },
    end: () => next({ bytes: new Uint8Array(0), isEof: true }),
  };
}

/* Also a run that has not read for a while: it may read again. */
function isWorthRetrying(error: unknown): boolean {
  return (
    isPassing(error) || (error instanceof RefusedError && error.refusal.code === 'input_blocked')
  );
}
