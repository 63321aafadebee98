/*
 * What was said in a stretch of a thread, as texts: its deltas joined, without thoughts, tools and everything else. A pure function of
 * events that follow one another; a text whose beginning is not among them begins where they do.
 */
import type { EventRow } from '../rows.ts';
import { isObject, type Json } from '../wire/json-rpc.ts';

export interface SaidText {
  /* Of its first event. */
  readonly seq: number;
  readonly turnId?: string | undefined;
  readonly role: 'user' | 'agent';
  /* Who asked for the turn, where no person did: `thread:ID`. */
  readonly from?: string | undefined;
  readonly text: string;
  readonly atMs: number;
}

export function saidTexts(events: readonly EventRow[]): readonly SaidText[] {
  const texts: SaidText[] = [];
  let open: SaidText | undefined;
  const close = (): void => {
    if (open !== undefined) texts.push(open);
    open = undefined;
  };
  for (const { seq, turnId, type, payload, atMs } of events) {
    const { role, text, blocks, from } = payload;
    if (type === 'delta' && role === 'agent' && typeof text === 'string') {
      open =
        open === undefined
          ? { seq, turnId, role, text, atMs }
          : { ...open, text: open.text + text };
    } else if (type === 'message') {
      close();
      const said = role === 'user' ? textOf(blocks) : '';
      const by = typeof from === 'string' ? { from } : {};
      if (said !== '') texts.push({ seq, turnId, role: 'user', ...by, text: said, atMs });
    }
  }
  close();
  return texts;
}

function textOf(blocks: Json | undefined): string {
  if (!Array.isArray(blocks)) return '';
  return blocks
    .map((block: Json) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : '',
    )
    .filter((text) => text !== '')
    .join('\n');
}

/* With its middle left out: how a text begins and how it ends says most of it. */
export function cutMiddle(
  text: string,
  charactersMax: number,
): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= charactersMax) return { text, isCut: false };
  const half = Math.floor(charactersMax / 2);
  const start = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, '');
  return { text: `${start}\n[…]\n${end}`, isCut: true };
}
