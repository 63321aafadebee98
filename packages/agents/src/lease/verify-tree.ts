/*
 * Whether the process of a lease is ours to end, as one pure function over what can be seen of it now. Only `ours` allows a signal;
 * everything else says why not.
 *
 * Stages: the lease is of this gateway and has a process; boot, namespace, pid, start time and process group match (AP2); the marks in its
 * environment match, where they can be read (AP3); where they do not say, its program is below the root of the lease (AP4). An
 * environment that says it is stronger: a script may become another program, and a program that overwrites its own environment stays
 * what it is. What cannot be read proves nothing (AP5).
 *
 * Command lines are not looked at: they are quoted, rewritten by `#!` lines, and overwritten by programs that give themselves a title.
 */
import type { AgentRunRow } from '../rows.ts';

export type TreeVerdict =
  | { readonly verdict: 'ours' }
  | { readonly verdict: 'missing' | Doubt; readonly why: string };

type Doubt = 'reused' | 'foreign-gateway' | 'unreadable' | 'ambiguous';

/* In the environment of every agent, beside what every run has. */
export const agentVariables = { commandHash: 'CLAWDFATHER_COMMAND_HASH' } as const;

/* `undefined` in a value: it is not there. */
type Seen<Value> = { readonly value: Value | undefined } | 'unreadable';

export type RootReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | {
      readonly kind: 'found';
      readonly startTicks: number;
      readonly processGroupId: number;
      readonly isZombie: boolean;
      readonly program: Seen<string>;
      readonly variables: Seen<RootVariables>;
    };

export interface RootVariables {
  readonly leaseId?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly commandHash?: string | undefined;
}

export interface TreeEvidence {
  /* Of the gateway that asks. */
  readonly instanceId: string;
  /* Of the kernel that runs now. */
  readonly bootId: string | undefined;
  /* The pid of the lease is a pid of our own namespace. */
  readonly isSameNamespace: boolean;
  readonly root: RootReading;
}

export type VerifiedLease = Pick<
  AgentRunRow,
  'leaseId' | 'instanceId' | 'commandHash' | 'programRoot' | 'process' | 'endedAtMs'
>;

export function verifyTree(lease: VerifiedLease, evidence: TreeEvidence): TreeVerdict {
  const { process } = lease;
  const { root } = evidence;
  if (lease.instanceId !== evidence.instanceId) {
    return no('foreign-gateway', 'its lease is of another gateway');
  }
  if (lease.endedAtMs !== undefined) return no('missing', 'its lease has ended');
  if (process === undefined) return no('ambiguous', 'the lease does not say which process it is');
  if (evidence.bootId === undefined) return no('unreadable', 'it is not known which boot this is');
  if (evidence.bootId !== process.bootId) return no('missing', 'the machine has booted since');
  if (!evidence.isSameNamespace) return no('unreadable', 'it lives in another pid namespace');
  if (root.kind === 'absent') return no('missing', 'no process has its pid');
  if (root.kind === 'unreadable') return no('unreadable', root.why);
  if (root.startTicks !== process.startTicks) return reused(root, evidence.instanceId);
  if (root.isZombie) return no('missing', 'it has ended, and its parent has not noticed yet');
  if (root.processGroupId !== process.processGroupId) {
    return no('ambiguous', 'it is in another process group than the lease says');
  }
  return verifyMarks(lease, root);
}

type Found = Extract<RootReading, { kind: 'found' }>;

function reused({ variables }: Found, instanceId: string): TreeVerdict {
  const other = variables === 'unreadable' ? undefined : variables.value?.instanceId;
  return other !== undefined && other !== instanceId
    ? no('foreign-gateway', 'its pid belongs to a process of another gateway now')
    : no('reused', 'its pid belongs to a process that started at another time');
}

/* AP3 and AP4. */
function verifyMarks(lease: VerifiedLease, { variables, program }: Found): TreeVerdict {
  const said = variables === 'unreadable' ? {} : (variables.value ?? {});
  if (said.instanceId !== undefined && said.instanceId !== lease.instanceId) {
    return no('foreign-gateway', 'it was started by another gateway');
  }
  if (said.leaseId !== undefined && said.leaseId !== lease.leaseId) {
    return no('ambiguous', 'it carries another lease');
  }
  if (said.commandHash !== undefined && said.commandHash !== lease.commandHash) {
    return no('ambiguous', 'it was started as another command');
  }
  if (said.leaseId !== undefined || program === 'unreadable') return { verdict: 'ours' };
  return isBelow(program.value, lease.programRoot)
    ? { verdict: 'ours' }
    : no('ambiguous', 'it carries no lease, and its program is not the one that was started');
}

function isBelow(path: string | undefined, root: string): boolean {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path !== undefined && root !== '' && path.startsWith(prefix);
}

function no(verdict: 'missing' | Doubt, why: string): TreeVerdict {
  return { verdict, why };
}
