/*
 * Approvals in a state directory that vanishes with the test: an agent's gatekeeper, and a person who decides.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type ApprovalStore, openApprovals, type ProcessMark } from '@clawdfather/supervisor';
import { createAllowlist } from '../../src/approvals/allowlist.ts';
import { createGatekeeper } from '../../src/approvals/create-gatekeeper.ts';
import {
  decideApproval,
  type DecisionInput,
  type DecisionOutcome,
} from '../../src/approvals/decide-approval.ts';
import { agentPolicy, type Policy } from '../../src/approvals/decide-policy.ts';
import type { Gatekeeper, ProposedAction, Proposal } from '../../src/approvals/gatekeeper.ts';
import { createStarterReach, type StarterReach } from '../../src/approvals/starter-reach.ts';
import type { RequesterMark } from '../../src/approvals/requester.ts';
import type { ProcessDecider } from '../../src/approvals/who-decides.ts';

export interface ApprovalsRig {
  readonly stateDir: string;
  readonly store: ApprovalStore;
  readonly gatekeeper: Gatekeeper;
  /* The store's moment: now, until it is moved by hand. */
  readonly time: { bootMs: number; bootId: string; wallMs: number };
  readonly gatekeeperWith: (parts: GatekeeperParts) => Gatekeeper;
  /* Asks about a program that is on no list; the approval's id. */
  readonly ask: (parts?: Partial<Proposal>) => Promise<string>;
  readonly decide: (approvalId: string, parts?: Partial<DecisionInput>) => Promise<DecisionOutcome>;
}

export interface GatekeeperParts {
  readonly policy?: Policy;
  readonly requesterMarks?: readonly RequesterMark[];
  readonly reach?: StarterReach;
  /* Instead of the rig's own, around it. */
  readonly store?: ApprovalStore;
}

const leader: ProcessMark = {
  pid: 7_000_001,
  startTicks: 1,
  processGroupId: 7_000_001,
  kernelSessionId: 7_000_001,
  comm: 'bash',
};

/* A shell at a terminal that no agent has anything to do with. */
export const person: ProcessDecider = { lineage: [leader], isAtTerminal: true };

export function actionOf(parts: Partial<ProposedAction> = {}): ProposedAction {
  return {
    command: { kind: 'argv', argv: ['/usr/bin/touch', 'x'] },
    cwd: '/tmp',
    envAdditions: {},
    host: 'local',
    account: 'local',
    ...parts,
  };
}

export async function openApprovalsRig(t: TestContext): Promise<ApprovalsRig> {
  const directory = mkdtempSync(join(tmpdir(), 'clawdfather-approvals-'));
  const stateDir = join(directory, 'state');
  const system = createSystemClock();
  const opened = await openApprovals({ stateDir });
  const { bootId } = opened.host;
  const time = { bootMs: opened.host.bootMs(), bootId, wallMs: system.wallMs() };
  const host = {
    get bootId() {
      return time.bootId;
    },
    bootMs: () => time.bootMs,
  };
  const store: ApprovalStore = { ...opened, host };
  const clock: Clock = { ...system, wallMs: () => time.wallMs };
  t.after(async () => {
    await opened.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const random = createSystemRandom();
  const allowlist = createAllowlist(store);
  const usualReach = createStarterReach({
    home: homedir(),
    ours: [],
    support: async () => ({ landlock: 1, why: undefined }),
  });
  const gatekeeperWith: ApprovalsRig['gatekeeperWith'] = ({
    policy = agentPolicy,
    requesterMarks = [],
    reach = usualReach,
    store: asked = store,
  }) => createGatekeeper({ store: asked, allowlist, reach, clock, random, policy, requesterMarks });
  const gatekeeper = gatekeeperWith({});
  return {
    stateDir,
    store,
    gatekeeper,
    time,
    gatekeeperWith,
    ask: async (parts = {}) => {
      const verdict = await gatekeeper.check(proposalOf({ runId: random.id(), ...parts }));
      if (verdict.kind !== 'held') throw new Error(`it was ${JSON.stringify(verdict)}`);
      return verdict.approvalId;
    },
    decide: (approvalId, parts = {}) =>
      decideApproval(
        { store, allowlist, clock, random },
        { approvalId, decision: 'allow-once', by: 'cli:ann', decider: person, ...parts },
      ),
  };
}

export function proposalOf(parts: Partial<Proposal> = {}): Proposal {
  return {
    action: actionOf(),
    runId: 'run-1',
    searchPath: '/usr/bin:/bin',
    directory: '/tmp',
    request: '{"request":1}',
    requester: 'mcp:test',
    ...parts,
  };
}
