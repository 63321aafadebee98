/*
 * Gateways on this database: who they are, where to reach them, when they were last heard.
 */
import type { Owner } from '@clawdfather/sessions';
import type { QueryContext } from '../context.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { GatewayInstancesTable } from '../schema/tables.ts';

export type GatewayInstance = RecordOf<GatewayInstancesTable>;

/** Starts of one gateway in a stretch of time. */
export interface GatewayStarts {
  readonly instanceId: string;
  readonly count: number;
  readonly firstGeneration: number;
  readonly lastGeneration: number;
  readonly lastAtMs: number;
}

export interface Instances {
  /** A start: the generation grows, so the leases of the one before can be told from ours. */
  start(input: { instanceId: string; version: string; address?: string }): Promise<Owner>;
  /** `superseded`: a newer generation of the same state directory is running; stop acting. */
  heartbeat(owner: Owner): Promise<'alive' | 'superseded'>;
  stop(owner: Owner): Promise<'stopped' | 'superseded'>;
  list(): Promise<readonly GatewayInstance[]>;
  /** After this moment, of each gateway the first and the last; those that started last come first. */
  startsSince(sinceMs: number): Promise<readonly GatewayStarts[]>;
}

/* More than share a database. */
const gatewaysMax = 32;

export function createInstances({ runner, clock }: QueryContext): Instances {
  const update = (owner: Owner, set: Partial<GatewayInstancesTable>): Promise<boolean> =>
    runner.write(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('gateway_instances')
        .set(set)
        .where('id', '=', owner.instanceId)
        .where('generation', '=', owner.generation)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  return {
    start: ({ instanceId, version, address }) =>
      runner.write(async (db) => {
        const nowMs = clock.wallMs();
        const fields = {
          address: address ?? null,
          version,
          started_at_ms: nowMs,
          heartbeat_at_ms: nowMs,
          stopped_at_ms: null,
        };
        const { generation } = await db
          .insertInto('gateway_instances')
          .values({ id: instanceId, generation: 1, ...fields })
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((eb) => ({
              ...fields,
              generation: eb('gateway_instances.generation', '+', 1),
            })),
          )
          .returning('generation')
          .executeTakeFirstOrThrow();
        await db
          .insertInto('gateway_starts')
          .values({ instance_id: instanceId, generation, version, started_at_ms: nowMs })
          .execute();
        return { instanceId, generation };
      }),
    heartbeat: async (owner) =>
      (await update(owner, { heartbeat_at_ms: clock.wallMs() })) ? 'alive' : 'superseded',
    stop: async (owner) =>
      (await update(owner, { stopped_at_ms: clock.wallMs() })) ? 'stopped' : 'superseded',
    list: () =>
      runner.read(async (db) => {
        const rows = await db.selectFrom('gateway_instances').selectAll().orderBy('id').execute();
        return rows.map(toRecord);
      }),
    startsSince: (sinceMs) =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('gateway_starts')
          .select(({ fn }) => [
            'instance_id',
            fn.countAll<number>().as('count'),
            fn.min('generation').as('first_generation'),
            fn.max('generation').as('last_generation'),
            fn.max('started_at_ms').as('last_at_ms'),
          ])
          .where('started_at_ms', '>', sinceMs)
          .groupBy('instance_id')
          .orderBy('last_at_ms', 'desc')
          .limit(gatewaysMax)
          .execute();
        return rows.map(toRecord);
      }),
  };
}
