/*
 * To whom a notice is told: to the channels of the settings, and to the devices that have subscribed (ND1 of notices.ts).
 *
 * Channels of the settings file are those of whoever runs the machine, so only the owner's notices go there, and the account's settings say
 * which classes. A device is its account's, member or owner, and has a choice of its own.
 */
import type { Database } from '../engine.ts';
import type { NoticeClass, NoticeDeliveriesTable } from '../schema/feed-tables.ts';
import { type JsonText, parseJson } from '../schema/json-text.ts';
import type { JsonObject } from '../schema/tables.ts';

export interface PlanInput {
  /** Of the settings. */
  readonly channels: readonly string[];
  /** What is older is not told any more. */
  readonly ageMsMax: number;
  readonly limit: number;
}

/** The channel of all devices; that of one has its id behind it. */
export const pushChannel = 'push';

interface PlannedNotice {
  readonly account_id: string;
  readonly id: string;
  readonly class: NoticeClass;
  readonly created_at_ms: number;
  readonly resolved_at_ms: number | null;
  readonly kind: 'owner' | 'member';
  readonly notifications_json: JsonText<JsonObject> | null;
}

/** How many were planned. */
export async function plan(db: Database, nowMs: number, input: PlanInput): Promise<number> {
  const rows = await selectUnplanned(db, input.limit);
  for (const row of rows) {
    await db
      .updateTable('notices')
      .set({ planned_at_ms: nowMs })
      .where('account_id', '=', row.account_id)
      .where('id', '=', row.id)
      .execute();
    const isOld = nowMs - row.created_at_ms > input.ageMsMax;
    const targets = [...channelsOf(row, input), ...(await devicesOf(db, row, nowMs))];
    if (targets.length === 0) continue;
    const isResolved = row.resolved_at_ms !== null;
    const deliveries = targets.map(({ isOff, ...target }): NoticeDeliveriesTable => {
      const reason = whyNot({ isOff, isResolved, isOld });
      return {
        account_id: row.account_id,
        notice_id: row.id,
        ...target,
        state: reason === undefined ? 'pending' : 'skipped',
        attempts: 0,
        due_at_ms: nowMs,
        sender_id: null,
        sender_generation: null,
        reason: reason ?? null,
        settled_at_ms: reason === undefined ? null : nowMs,
      };
    });
    await db.insertInto('notice_deliveries').values(deliveries).execute();
  }
  return rows.length;
}

function selectUnplanned(db: Database, limit: number): Promise<readonly PlannedNotice[]> {
  return db
    .selectFrom('notices')
    .innerJoin('accounts', 'accounts.id', 'notices.account_id')
    .leftJoin('settings', 'settings.account_id', 'notices.account_id')
    .select([
      'notices.account_id',
      'notices.id',
      'notices.class',
      'notices.created_at_ms',
      'notices.resolved_at_ms',
      'accounts.kind',
      'settings.notifications_json',
    ])
    .where('notices.planned_at_ms', 'is', null)
    .orderBy('notices.created_at_ms')
    .limit(limit)
    .execute();
}

type Target = Pick<NoticeDeliveriesTable, 'channel' | 'device_id'> & { readonly isOff: boolean };

function channelsOf(row: PlannedNotice, { channels }: PlanInput): readonly Target[] {
  if (row.kind !== 'owner') return [];
  const chosen = row.notifications_json === null ? {} : parseJson(row.notifications_json);
  const isOff = chosen[row.class] === false;
  return channels.map((channel) => ({ channel, device_id: null, isOff }));
}

async function devicesOf(
  db: Database,
  row: PlannedNotice,
  nowMs: number,
): Promise<readonly Target[]> {
  const devices = await db
    .selectFrom('push_subscriptions')
    .innerJoin('app_sessions', (join) =>
      join
        .onRef('app_sessions.account_id', '=', 'push_subscriptions.account_id')
        .onRef('app_sessions.id', '=', 'push_subscriptions.device_id'),
    )
    .select(['push_subscriptions.device_id', 'push_subscriptions.classes_json'])
    .where('push_subscriptions.account_id', '=', row.account_id)
    .where('app_sessions.revoked_at_ms', 'is', null)
    .where('app_sessions.expires_at_ms', '>', nowMs)
    .execute();
  return devices.map(({ device_id, classes_json }) => ({
    channel: `${pushChannel}:${device_id}`,
    device_id,
    isOff: !parseJson(classes_json)[row.class],
  }));
}

function whyNot(facts: {
  readonly isOff: boolean;
  readonly isResolved: boolean;
  readonly isOld: boolean;
}): string | undefined {
  if (facts.isOff) return 'off';
  if (facts.isResolved) return 'resolved';
  return facts.isOld ? 'old' : undefined;
}
