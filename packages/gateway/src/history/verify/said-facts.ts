/*
 * What an agent has said, as a list of hashes that does not depend on how its texts were cut into events. Pure: events go in, in their
 * order. The same from the database and from a journal, or one of them was changed.
 *
 * Texts are joined and stand where they end. Asks have a list of their own, because one may be noted before what was said ahead of it.
 */
import { createHash } from 'node:crypto';
import { addText, type EventRow, type MessageText, noText, sealText } from '@clawdfather/agents';
import { canonicalJson } from '@clawdfather/protocol/history';

export type FactKind = 'text' | 'content' | 'tool' | 'plan' | 'update' | 'ask';

export interface Fact {
  readonly kind: FactKind;
  readonly seq: number;
  /* Of a text, its newest piece. */
  readonly lastSeq: number;
  readonly sha256: string;
  /* The event that ends the text, where it does not fit its pieces. */
  readonly unfitSeq?: number | undefined;
}

export interface SaidFacts {
  readonly said: readonly Fact[];
  readonly asks: readonly Fact[];
}

type Event = Pick<EventRow, 'seq' | 'type' | 'payload'>;

interface OpenText {
  readonly name: string;
  readonly seq: number;
  lastSeq: number;
  text: MessageText;
}

export class FactList {
  readonly #said: Fact[] = [];
  readonly #asks: Fact[] = [];
  #open: OpenText | undefined;

  take(event: Event): void {
    const { type, payload } = event;
    if (type === 'delta') this.#takeDelta(event);
    else if (type === 'message' && 'firstSeq' in payload) this.#close(event);
    else {
      const kind = kindOf(event);
      if (kind === 'ask') this.#asks.push(factOf(kind, event));
      else if (kind !== undefined) this.#said.push(factOf(kind, event));
    }
  }

  /* A text that has no end yet ends the list. */
  facts(): SaidFacts {
    this.#close(undefined);
    return { said: this.#said, asks: this.#asks };
  }

  #takeDelta({ seq, payload: { role, messageId, text } }: Event): void {
    const name = canonicalJson({ role, messageId });
    if (this.#open?.name !== name) this.#close(undefined);
    this.#open ??= { name, seq, lastSeq: seq, text: noText() };
    this.#open.lastSeq = seq;
    this.#open.text = addText(this.#open.text, typeof text === 'string' ? text : '');
  }

  #close(end: Event | undefined): void {
    const open = this.#open;
    this.#open = undefined;
    // An end of nothing is a fact, too: the pieces that it ended are gone.
    if (open === undefined) {
      if (end !== undefined) this.#said.push(factOf('text', end));
      return;
    }
    const sealed = sealText(open.text);
    const { seq, lastSeq, name } = open;
    this.#said.push({
      kind: 'text',
      seq,
      lastSeq,
      sha256: hashOf(`${name}\n${canonicalJson(sealed)}`),
      unfitSeq: end === undefined || isFit(end, open, sealed) ? undefined : end.seq,
    });
  }
}

function isFit(
  { payload }: Event,
  { name }: OpenText,
  { bytes, sha256 }: ReturnType<typeof sealText>,
): boolean {
  const { role, messageId } = payload;
  return (
    canonicalJson({ role, messageId }) === name &&
    payload['bytes'] === bytes &&
    payload['sha256'] === sha256
  );
}

/* Undefined: of the gateway, or about the journal and not in it. */
function kindOf({ type, payload }: Event): FactKind | undefined {
  switch (type) {
    case 'message':
      // What has blocks is a prompt, which the gateway has told.
      return 'blocks' in payload ? undefined : 'content';
    case 'tool':
    case 'plan':
      return type;
    case 'approval':
    case 'question':
      return payload['state'] === 'open' ? 'ask' : undefined;
    case 'usage':
    case 'status':
    case 'noise':
      return typeof payload['update'] === 'string' ? 'update' : undefined;
    default:
      return undefined;
  }
}

function factOf(kind: FactKind, { seq, type, payload }: Event): Fact {
  // As it comes back from a database: what JSON does not have is gone.
  const stored: unknown = JSON.parse(JSON.stringify(payload));
  return { kind, seq, lastSeq: seq, sha256: hashOf(`${type}\n${canonicalJson(stored)}`) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
