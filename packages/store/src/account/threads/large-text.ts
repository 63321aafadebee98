/*
 * JSON that may be large: up to 64 KiB it is in its row, beyond that it is a blob of the account, named by its SHA-256.
 *
 * A blob is never changed, and the same text is stored once. What names it has a foreign key to it.
 */
import { createHash } from 'node:crypto';
import { createInsert } from '../../compiled-write.ts';
import { inlineBytesMax } from '../../limits.ts';
import { formatJson, type Json, type JsonText } from '../../schema/json-text.ts';
import type { BlobsTable } from '../../schema/agent-tables.ts';

export interface LargeText<Value extends Json> {
  readonly json: JsonText<Value> | null;
  readonly hash: string | null;
}

/** Collects the blobs of one change. */
export class Blobs {
  readonly #accountId: string;
  readonly #rows = new Map<string, BlobsTable>();

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  get rows(): readonly BlobsTable[] {
    return [...this.#rows.values()];
  }

  largeText<Value extends Json>(value: Value): LargeText<Value> {
    const json = formatJson(value);
    if (isInline(json)) return { json, hash: null };
    const hash = createHash('sha256').update(json).digest('hex');
    this.#rows.set(hash, { account_id: this.#accountId, hash, body: json });
    return { json: null, hash };
  }
}

/* A character has at most three bytes per unit of its length. */
function isInline(json: string): boolean {
  return json.length * 3 <= inlineBytesMax || Buffer.byteLength(json) <= inlineBytesMax;
}

export const insertBlobs = createInsert<BlobsTable>((db, rows) =>
  db
    .insertInto('blobs')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['account_id', 'hash']).doNothing()),
);
