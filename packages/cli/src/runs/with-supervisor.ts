/*
 * A supervisor for the length of one command, started directly (S3): shims are
 * our own children's children, so that this shell's limits and groups hold.
 *
 * Closing lets go of the runs and ends none of them (O1).
 */
import { createJsonLog, silentLog } from '@clawdfather/kit';
import type { Supervisor, SupervisorDeps } from '@clawdfather/supervisor';
import type { CommandContext } from '../command.ts';
import { retentionPolicyFrom } from '../config/retention-policy.ts';
import { explainOpenFailure } from './open-failure.ts';

export type SupervisorExtras = Pick<SupervisorDeps, 'cgroupParent' | 'observer'>;

export async function withSupervisor<Result>(
  deps: Pick<CommandContext, 'clock' | 'random' | 'config' | 'io'>,
  use: (supervisor: Supervisor) => Promise<Result>,
  extras: SupervisorExtras = {},
): Promise<Result> {
  // Imported here: help and version must not load a database.
  const { createSupervisor } = await import('@clawdfather/supervisor');
  const { clock, random, config, io } = deps;
  const log =
    config.logLevel === undefined
      ? silentLog
      : createJsonLog({
          clock,
          levelMin: config.logLevel,
          // A log that cannot be written is no reason to fail.
          write: (line) => void io.stderr.write(line).catch(() => {}),
        });
  const supervisor = await createSupervisor({
    stateDir: config.stateDir,
    launcher: 'direct',
    retention: retentionPolicyFrom(config),
    clock,
    random,
    log,
    ...extras,
  }).catch((error: unknown) => {
    throw explainOpenFailure(error, config.stateDir);
  });
  try {
    return await use(supervisor);
  } finally {
    await supervisor.close();
  }
}
