/*
 * A receipt of any length: read part by part until it is complete, and each part proven from the events themselves.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { type Client, proveReceipt, type ReceiptProof } from '@clawdfather/sdk';
import type { ThreadEvent } from './thread-types.ts';

export type Receipt = AnswerOf<Api['history']['receipt']>;
type ReceiptFile = Receipt['files'][number];

export interface ReceiptPart {
  readonly receipt: Receipt;
  readonly proof: ReceiptProof;
}

/* All parts as one. Who decided and which turns ended is in the order of the events. */
export interface WholeReceipt
  extends Pick<Receipt, 'since' | 'since_at' | 'away_ms' | 'gateways' | 'decisions' | 'turns'> {
  readonly first: Receipt;
  readonly last: Receipt;
  readonly parts: readonly ReceiptPart[];
  /* Every event is here as the gateway counts it. */
  readonly isProven: boolean;
  readonly events: number;
  readonly received: number;
  readonly bytes: number;
  readonly missing: ReceiptProof['missing'];
  readonly files: readonly ReceiptFile[];
  readonly filesTotal: number;
  readonly added: number;
  readonly removed: number;
  readonly filesArePartial: boolean;
  readonly decisionsTotal: number;
  readonly turnsTotal: number;
}

/* Of one answer of the gateway. */
const pageMax = 500;

export async function readReceipt(
  client: Client,
  { threadId, since }: { readonly threadId: string; readonly since: number },
): Promise<WholeReceipt> {
  const readPart = async (from: number): Promise<ReceiptPart> => {
    const params = { id: threadId };
    const receipt = await client.history.receipt({ params, query: { since: from } });
    return { receipt, proof: await proveReceipt(receipt, await readEvents(client, receipt)) };
  };
  const first = await readPart(since);
  const parts = [first];
  for (let { receipt } = first; !receipt.is_complete; ) {
    const part = await readPart(receipt.through);
    parts.push(part);
    // One that does not go on would never end; it is not complete, and so not proven.
    if (part.receipt.through <= receipt.through) break;
    receipt = part.receipt;
  }
  return joinParts(first, parts);
}

async function readEvents(
  client: Client,
  { thread_id: id, since, through }: Receipt,
): Promise<readonly ThreadEvent[]> {
  const events: ThreadEvent[] = [];
  for (let after = since; after < through; ) {
    const limit = Math.min(pageMax, through - after);
    const { items } = await client.threads.events({ params: { id }, query: { after, limit } });
    const last = items.at(-1);
    if (last === undefined) break;
    events.push(...items);
    after = last.seq;
  }
  return events;
}

export function joinParts(first: ReceiptPart, parts: readonly ReceiptPart[]): WholeReceipt {
  const last = (parts.at(-1) ?? first).receipt;
  const sum = (of: (part: ReceiptPart) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const listed = parts.flatMap(({ receipt }) => receipt.files);
  const files = joinFiles(listed);
  const { since, since_at, away_ms, gateways } = first.receipt;
  return {
    // What is since the beginning until now is in the first one.
    since,
    since_at,
    away_ms,
    gateways,
    first: first.receipt,
    last,
    parts,
    isProven: last.is_complete && parts.every(({ proof }) => proof.isProven),
    events: sum(({ receipt }) => receipt.events),
    received: sum(({ proof }) => proof.events),
    bytes: sum(({ receipt }) => receipt.bytes),
    missing: parts.flatMap(({ proof }) => proof.missing),
    files,
    filesTotal: sum(({ receipt }) => receipt.files_total) - (listed.length - files.length),
    added: sum(({ receipt }) => receipt.added),
    removed: sum(({ receipt }) => receipt.removed),
    filesArePartial: parts.some(({ receipt }) => receipt.files_are_partial),
    decisions: parts.flatMap(({ receipt }) => receipt.decisions),
    decisionsTotal: sum(({ receipt }) => receipt.decisions_total),
    turns: parts.flatMap(({ receipt }) => receipt.turns),
    turnsTotal: sum(({ receipt }) => receipt.turns_total),
  };
}

/* A file that several parts tell of is one. */
function joinFiles(files: readonly ReceiptFile[]): readonly ReceiptFile[] {
  const byPath = new Map<string, ReceiptFile>();
  for (const file of files) {
    const before = byPath.get(file.path);
    byPath.set(file.path, before === undefined ? file : joinFile(before, file));
  }
  return [...byPath.values()];
}

function joinFile(before: ReceiptFile, file: ReceiptFile): ReceiptFile {
  const add = (one: number | null, other: number | null): number | null =>
    one === null || other === null ? null : one + other;
  return {
    ...file,
    is_new: before.is_new,
    edits: before.edits + file.edits,
    // One of which a part was not counted is not counted.
    kind: before.kind === 'text' ? file.kind : before.kind,
    added: add(before.added, file.added),
    removed: add(before.removed, file.removed),
  };
}
