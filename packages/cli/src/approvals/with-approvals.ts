/*
 * The approvals of this host for the length of one command.
 */
import type { ApprovalStore } from '@clawdfather/supervisor';
import type { Allowlist, Gatekeeper } from '@clawdfather/tools';
import type { CommandContext } from '../command.ts';
import { reachBoundsOf } from './reach-bounds.ts';
import { explainOpenFailure } from '../runs/open-failure.ts';

export interface Approvals {
  readonly store: ApprovalStore;
  readonly allowlist: Allowlist;
  /* As a person has it. */
  readonly gatekeeper: Gatekeeper;
}

export async function withApprovals<Result>(
  { config, clock, random }: Pick<CommandContext, 'config' | 'clock' | 'random'>,
  use: (approvals: Approvals) => Promise<Result>,
): Promise<Result> {
  // Imported here: help and version must not load a database.
  const { openApprovals } = await import('@clawdfather/supervisor');
  const { createGate, personPolicy } = await import('@clawdfather/tools');
  const { stateDir } = config;
  const store = await openApprovals({ stateDir, clock, random }).catch(async (error: unknown) => {
    throw await explainOpenFailure(error, stateDir);
  });
  try {
    const allow = config.values['policy.allow'];
    const reach = reachBoundsOf(config);
    const gate = createGate(store, { clock, random, allow, reach, policy: personPolicy });
    return await use({ store, ...gate });
  } finally {
    await store.close();
  }
}
