/*
 * What can be seen of the process of a lease now, in the words of the verdict (AP2 to AP5).
 */
import {
  type AgentRunRow,
  agentVariables,
  type RootReading,
  type TreeEvidence,
} from '@clawdfather/agents';
import type { ProcessEvidence, Supervisor } from '@clawdfather/supervisor';

export type SeeingSupervisor = Pick<Supervisor, 'get' | 'examine' | 'instanceId'>;

const leaseIdVariable = 'CLAWDFATHER_LEASE_ID';
const instanceVariable = 'CLAWDFATHER_GATEWAY_INSTANCE_ID';

export function seeTree(supervisor: SeeingSupervisor, lease: AgentRunRow): TreeEvidence {
  const { instanceId } = supervisor;
  const { process } = lease;
  if (process === undefined) {
    const root = { kind: 'unreadable', why: 'the lease has no pid' } as const;
    return { instanceId, bootId: undefined, isSameNamespace: false, root };
  }
  const seen = supervisor.examine(process.rootPid);
  // Where the run's own record is gone, the pid is the only one there can be.
  const recorded = supervisor.get(lease.runId)?.pidNamespace ?? seen.pidNamespace;
  return {
    instanceId,
    bootId: seen.bootId,
    isSameNamespace: recorded === seen.pidNamespace,
    root: rootOf(seen),
  };
}

function rootOf({ reading, program, variables }: ProcessEvidence): RootReading {
  if (reading.kind !== 'found') return reading;
  const { stat, isZombie } = reading;
  return {
    kind: 'found',
    startTicks: stat.startTicks,
    processGroupId: stat.processGroupId,
    isZombie,
    program: program === undefined ? 'unreadable' : { value: program },
    variables:
      variables === undefined
        ? 'unreadable'
        : {
            value: {
              leaseId: variables.get(leaseIdVariable),
              instanceId: variables.get(instanceVariable),
              commandHash: variables.get(agentVariables.commandHash),
            },
          },
  };
}
