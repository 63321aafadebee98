/*
 * Sends input in pieces, a few of them under way at a time (I1).
 *
 * What is under way together is what the shim itself keeps for the child, so a
 * fast child is never starved and a slow one never makes us buffer more. The
 * first failure ends it; what the shim accepted until then is in its offset.
 */
import type { OkAnswer } from '../wire/answers.ts';
import type { Command } from '../wire/encode-command.ts';

export interface InputSender {
  readonly epoch: number;
  readonly offset: number | 'typed';
  readonly send: (command: Command) => Promise<OkAnswer>;
}

const pieceBytes = 64 * 1024;
/* Four pieces are the 256 KiB after which the shim stops reading. */
const piecesMax = 4;

/* The answer to the last piece. An empty input is one empty piece. */
export function sendInput(bytes: Uint8Array, sender: InputSender): Promise<OkAnswer> {
  const { epoch, offset, send } = sender;
  /* A key: nothing to cut, and nothing between it and the socket. */
  if (bytes.length <= pieceBytes) return send({ type: 'input', epoch, offset, bytes });
  return sendPieces(bytes, sender);
}

async function sendPieces(bytes: Uint8Array, sender: InputSender): Promise<OkAnswer> {
  const underWay: Promise<OkAnswer>[] = [];
  let at = 0;
  for (;;) {
    const piece = bytes.subarray(at, at + pieceBytes);
    const offset = sender.offset === 'typed' ? 'typed' : sender.offset + at;
    const sent = sender.send({ type: 'input', epoch: sender.epoch, offset, bytes: piece });
    /* A later piece's failure is the first one's echo: not unhandled, merely unheard. */
    sent.catch(() => {});
    at += piece.length;
    if (at >= bytes.length) {
      await Promise.all(underWay);
      return sent;
    }
    underWay.push(sent);
    if (underWay.length === piecesMax) await underWay.shift();
  }
}
