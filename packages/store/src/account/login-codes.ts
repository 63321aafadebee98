/*
 * Codes with which a signed-in device lets another one in. What may follow on what, the gateway decides (next-login-code.ts there); here a
 * change is made only to the version that was looked at.
 */
import { type AuditEntry, auditedWrite, type Change, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { LoginCodesTable } from '../schema/tables.ts';
import { writeNews } from './feed/news.ts';

export type LoginCodeRecord = RecordOf<LoginCodesTable>;

export interface LoginCodeChange {
  readonly id: string;
  /** As it was read. */
  readonly version: number;
  readonly to: Pick<LoginCodeRecord, 'state' | 'expiresAtMs'> &
    Partial<Pick<LoginCodeRecord, 'claimHash' | 'claimDevice' | 'claimIp' | 'madeDeviceId'>>;
  readonly audit: AuditEntry;
}

export interface LoginCodes {
  /** Those that the device made before it are refused: it shows one at a time. `undefined` if there is no such device. */
  create(input: {
    readonly deviceId: string;
    readonly codeHash: string;
    readonly linkHash: string;
    readonly expiresAtMs: number;
    readonly audit: AuditEntry;
  }): Promise<LoginCodeRecord | undefined>;
  get(id: string): Promise<LoginCodeRecord | undefined>;
  /** False: it is not what was read any more. */
  change(input: LoginCodeChange): Promise<boolean>;
}

export function createLoginCodes(context: AccountContext): LoginCodes {
  const { runner, accountId, clock, random } = context;
  return {
    create: ({ deviceId, codeHash, linkHash, expiresAtMs, audit }) =>
      auditedWrite<LoginCodeRecord | undefined>(context, audit, async (db) => {
        const device = await db
          .selectFrom('app_sessions')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', '=', checkText('deviceId', deviceId))
          .where('revoked_at_ms', 'is', null)
          .executeTakeFirst();
        if (device === undefined) return unchanged(undefined);
        await db
          .updateTable('login_codes')
          .set((eb) => ({ state: 'refused' as const, version: eb('version', '+', 1) }))
          .where('account_id', '=', accountId)
          .where('device_id', '=', deviceId)
          .where('state', 'in', ['open', 'claimed', 'confirmed'])
          .execute();
        const row: LoginCodesTable = {
          account_id: accountId,
          id: random.id(),
          device_id: device.id,
          state: 'open',
          version: 1,
          code_hash: codeHash,
          link_hash: linkHash,
          claim_hash: null,
          claim_device: null,
          claim_ip: null,
          made_device_id: null,
          created_at_ms: clock.wallMs(),
          expires_at_ms: expiresAtMs,
        };
        await db.insertInto('login_codes').values(row).execute();
        return changed(toRecord(row), row.id);
      }),
    get: (id) =>
      runner.read(async (db) =>
        toOptionalRecord(
          await db
            .selectFrom('login_codes')
            .selectAll()
            .where('account_id', '=', accountId)
            .where('id', '=', checkText('id', id))
            .executeTakeFirst(),
        ),
      ),
    change: (input) =>
      auditedWrite<boolean>(context, input.audit, (db) => change(context, db, input)),
  };
}

async function change(
  context: AccountContext,
  db: Database,
  { id, version, to }: LoginCodeChange,
): Promise<Change<boolean>> {
  const { numUpdatedRows } = await db
    .updateTable('login_codes')
    .set({
      state: to.state,
      version: version + 1,
      claim_hash: to.claimHash ?? null,
      claim_device: to.claimDevice ?? null,
      claim_ip: to.claimIp ?? null,
      made_device_id: to.madeDeviceId ?? null,
      expires_at_ms: to.expiresAtMs,
    })
    .where('account_id', '=', context.accountId)
    .where('id', '=', checkText('id', id))
    .where('version', '=', version)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return unchanged(false);
  const event = {
    type: 'login_code_changed',
    subjectId: id,
    payload: { state: to.state },
  } as const;
  await writeNews(db, context, { events: [event] });
  return changed(true, id);
}
