/*
 * What happened in a stretch of a thread, counted while its events go by. Pure: events go in, in their order, and the sums come out.
 */
import { createHash } from 'node:crypto';
import {
  chainStart,
  type LoggedEvent,
  linkText,
  missingSeqs,
  type SeqRange,
} from '@clawdfather/protocol/history';

export interface Decided {
  readonly seq: number;
  readonly askId: string;
  readonly turnId: string | null;
  readonly class: 'approval' | 'question';
  readonly answer: string;
  readonly by: string;
  readonly at: string;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly status: string;
  readonly code: string | undefined;
  readonly cause: string | undefined;
  readonly endedAt: string;
}

export interface Sums {
  readonly events: number;
  readonly bytes: number;
  readonly checksum: string;
  readonly missing: readonly SeqRange[];
  readonly lastAt: string | undefined;
  readonly decisions: readonly Decided[];
  readonly turns: readonly EndedTurn[];
}

const endings: readonly unknown[] = ['completed', 'failed', 'cancelled', 'interrupted'];

export class ReceiptSums {
  readonly #since: number;
  readonly #seqs: number[] = [];
  readonly #decisions: Decided[] = [];
  readonly #turns: EndedTurn[] = [];
  #bytes = 0;
  #link = chainStart;
  #lastAt: string | undefined;

  constructor(since: number) {
    this.#since = since;
  }

  take(event: LoggedEvent): void {
    const text = linkText(this.#link, event);
    this.#seqs.push(event.seq);
    // Without the link before it and the newline.
    this.#bytes += Buffer.byteLength(text) - chainStart.length - 1;
    this.#link = createHash('sha256').update(text).digest('hex');
    this.#lastAt = event.at;
    const decided = decisionOf(event);
    if (decided !== undefined) this.#decisions.push(decided);
    const ended = endOf(event);
    if (ended !== undefined) this.#turns.push(ended);
  }

  /* `through`: the last that was read, or would be. */
  sums(through: number): Sums {
    return {
      events: this.#seqs.length,
      bytes: this.#bytes,
      checksum: this.#link,
      missing: missingSeqs(this.#seqs, { since: this.#since, last: through }),
      lastAt: this.#lastAt,
      decisions: this.#decisions,
      turns: this.#turns,
    };
  }
}

function decisionOf({ seq, turn_id: turnId, type, payload, at }: LoggedEvent): Decided | undefined {
  const { ask, state, answer, actor } = payload;
  if ((type !== 'approval' && type !== 'question') || state !== 'answered') return undefined;
  if (typeof ask !== 'string' || typeof actor !== 'string') return undefined;
  return { seq, askId: ask, turnId, class: type, answer: answerWord(answer), by: actor, at };
}

function answerWord(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  const { kind, optionId } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof optionId === 'string') return optionId;
  return typeof kind === 'string' ? kind : 'other';
}

function endOf({ turn_id: turnId, type, payload, at }: LoggedEvent): EndedTurn | undefined {
  const { event, result } = payload;
  if (type !== 'status' || turnId === null || !endings.includes(event)) return undefined;
  const { code, cause } = (result ?? {}) as Readonly<Record<string, unknown>>;
  return {
    turnId,
    status: String(event),
    code: typeof code === 'string' ? code : undefined,
    cause: typeof cause === 'string' ? cause : undefined,
    endedAt: at,
  };
}
