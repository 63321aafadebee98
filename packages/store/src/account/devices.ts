/*
 * Signed-in devices, in the table app_sessions. Only the SHA-256 of a device's token is stored.
 */
import { type AuditEntry, auditedWrite, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { tokenMsMax, tokenSlidingMs } from '../limits.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { AppSessionsTable } from '../schema/tables.ts';
import { type EventInput, writeNews } from './feed/news.ts';
import { endPush, movePush } from './push.ts';

/** Without the hash: nothing outside looks at it. */
export type Device = RecordOf<Omit<AppSessionsTable, 'token_hash'>>;

export interface NewDevice {
  readonly tokenHash: string;
  readonly device: string;
  readonly audit: AuditEntry;
}

export interface Devices {
  /** Those that can still be used, last used first. */
  list(): Promise<readonly Device[]>;
  create(input: NewDevice): Promise<Device>;
  /** One that signs in again: its successor, and the end of the one with this id. `undefined` if there is none to end. */
  replace(input: NewDevice & { id: string }): Promise<Device | undefined>;
  rename(input: {
    id: string;
    device: string;
    audit: AuditEntry;
  }): Promise<'renamed' | 'not_found'>;
  revoke(input: { id: string; audit: AuditEntry }): Promise<'revoked' | 'not_found'>;
  /** All but one, or all: their ids, so that their sockets can be closed. */
  revokeOthers(input: { exceptId?: string; audit: AuditEntry }): Promise<readonly string[]>;
}

const columns = [
  'account_id',
  'id',
  'device',
  'created_at_ms',
  'last_used_at_ms',
  'expires_at_ms',
  'expires_at_ms_max',
  'revoked_at_ms',
] as const;

export function createDevices(context: AccountContext): Devices {
  const { runner, accountId, clock } = context;
  return {
    list: () =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('app_sessions')
          .select(columns)
          .where('account_id', '=', accountId)
          .where('revoked_at_ms', 'is', null)
          .where('expires_at_ms', '>', clock.wallMs())
          .orderBy('last_used_at_ms', 'desc')
          .orderBy('id')
          .execute();
        return rows.map(toRecord);
      }),
    create: ({ audit, ...made }) =>
      auditedWrite(context, audit, async (db) => {
        const row = await insert(context, db, made);
        await tell(context, db, { added: row });
        return changed(toRecord(row), row.id);
      }),
    replace: ({ id, audit, ...made }) =>
      auditedWrite<Device | undefined>(context, audit, async (db) => {
        if (!(await end(context, db, id))) return unchanged(undefined);
        const row = await insert(context, db, made);
        await movePush(db, context, { from: id, to: row.id });
        await endPush(db, context, [id]);
        await tell(context, db, { added: row, removed: [id] });
        return changed(toRecord(row), row.id);
      }),
    rename: ({ id, device, audit }) =>
      auditedWrite<'renamed' | 'not_found'>(context, audit, async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('app_sessions')
          .set({ device: checkText('device', device) })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('revoked_at_ms', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return unchanged('not_found');
        await tell(context, db, { renamed: { id, device } });
        return changed('renamed', id);
      }),
    revoke: ({ id, audit }) =>
      auditedWrite<'revoked' | 'not_found'>(context, audit, async (db) => {
        if (!(await end(context, db, id))) return unchanged('not_found');
        await endPush(db, context, [id]);
        await tell(context, db, { removed: [id] });
        return changed('revoked', id);
      }),
    revokeOthers: ({ exceptId = '', audit }) =>
      auditedWrite(context, audit, async (db) => {
        const rows = await db
          .updateTable('app_sessions')
          .set({ revoked_at_ms: clock.wallMs() })
          .where('account_id', '=', accountId)
          .where('id', '!=', exceptId)
          .where('revoked_at_ms', 'is', null)
          .returning('id')
          .execute();
        const ids = rows.map(({ id }) => id);
        await endPush(db, context, ids);
        await tell(context, db, { removed: ids });
        return ids.length > 0 ? changed(ids, accountId) : unchanged(ids);
      }),
  };
}

function insert(
  { accountId, clock, random }: AccountContext,
  db: Database,
  { tokenHash, device }: Omit<NewDevice, 'audit'>,
) {
  const nowMs = clock.wallMs();
  return db
    .insertInto('app_sessions')
    .values({
      account_id: accountId,
      id: random.id(),
      token_hash: tokenHash,
      device: checkText('device', device),
      created_at_ms: nowMs,
      last_used_at_ms: nowMs,
      expires_at_ms: nowMs + tokenSlidingMs,
      expires_at_ms_max: nowMs + tokenMsMax,
      revoked_at_ms: null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/* False: there is none, or it has ended before. */
async function end(
  { accountId, clock }: AccountContext,
  db: Database,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app_sessions')
    .set({ revoked_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface DeviceNews {
  readonly added?: Pick<Device, 'id' | 'device'>;
  readonly renamed?: Pick<Device, 'id' | 'device'>;
  readonly removed?: readonly string[];
}

async function tell(
  context: AccountContext,
  db: Database,
  { added, renamed, removed = [] }: DeviceNews,
): Promise<void> {
  const events: EventInput[] = removed.map((id) => ({ type: 'device_removed', subjectId: id }));
  if (added !== undefined) {
    const { id, device } = added;
    events.push({ type: 'device_added', subjectId: id, payload: { device } });
  }
  if (renamed !== undefined) {
    const { id, device } = renamed;
    events.push({ type: 'device_changed', subjectId: id, payload: { device } });
  }
  await writeNews(db, context, { events });
}
