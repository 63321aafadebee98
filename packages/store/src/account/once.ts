/*
 * Idempotency keys: work whose effect happens once, however often it is asked for.
 *
 * K1 The key, what the work wrote and its result are one transaction. So the key is there exactly if the effect is.
 * K2 A resend with the same request gets the stored result; with another request it is refused.
 * K3 Of several requests at once one does the work. The others wait for its transaction and get its result: SQLite has one writer,
 *    and PostgreSQL holds the second insert of a key until the first is decided.
 * K4 Because of K1 the work may run again after a lost answer: it finds the key, or it finds that nothing has happened.
 *
 * The work touches nothing but the database (B2). What takes longer, such as starting a session, records its intent here and
 * is carried out afterwards; the resend finds the same intent.
 */
import type { AccountContext } from '../context.ts';
import type { Database, Engine } from '../engine.ts';
import { StoreError } from '../errors.ts';
import { idempotencyMs, resultBytesMax } from '../limits.ts';
import { checkText, formatJson, type Json, type JsonText, parseJson } from '../schema/json-text.ts';

export type OnceOutcome<Result extends Json> =
  | { readonly outcome: 'done' | 'repeated'; readonly result: Result }
  | { readonly outcome: 'key_reused' };

export interface OnceInput<Result extends Json> {
  readonly key: string;
  /** A hash of the whole request; two requests with one key are told apart by it. */
  readonly requestHash: string;
  readonly work: (db: Database) => Promise<Result>;
}

export async function once<Result extends Json>(
  engine: Engine,
  context: Omit<AccountContext, 'runner'>,
  { key, requestHash, work }: OnceInput<Result>,
): Promise<OnceOutcome<Result>> {
  const { accountId, clock } = context;
  checkText('key', key);
  return await engine.writeRepeatable(async (db) => {
    const nowMs = clock.wallMs();
    await deleteExpired(db, { accountId, key, nowMs });
    const mine = await db
      .insertInto('idempotency_keys')
      .values({
        account_id: accountId,
        key,
        request_hash: requestHash,
        result_json: null,
        created_at_ms: nowMs,
        expires_at_ms: nowMs + idempotencyMs,
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst();
    if (mine === undefined) return await repeat<Result>(db, { accountId, key, requestHash });
    const result = await work(db);
    const resultJson = formatJson(result);
    if (Buffer.byteLength(resultJson) > resultBytesMax) {
      throw new StoreError('value-invalid', 'the result is too big to be kept', {
        detail: { bytesMax: resultBytesMax },
      });
    }
    await db
      .updateTable('idempotency_keys')
      .set({ result_json: resultJson })
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .execute();
    return { outcome: 'done', result };
  });
}

async function deleteExpired(
  db: Database,
  { accountId, key, nowMs }: { accountId: string; key: string; nowMs: number },
): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('expires_at_ms', '<=', nowMs)
    .execute();
}

async function repeat<Result extends Json>(
  db: Database,
  { accountId, key, requestHash }: { accountId: string; key: string; requestHash: string },
): Promise<OnceOutcome<Result>> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'result_json'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (row.request_hash !== requestHash) return { outcome: 'key_reused' };
  /* K1: a committed key has its result; its type is that of the work that wrote it. */
  const result = parseJson(row.result_json as JsonText<Result>);
  return { outcome: 'repeated', result };
}
