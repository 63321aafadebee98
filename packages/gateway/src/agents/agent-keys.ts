/*
 * The key of an agent: how the server of its tools, outside of its shield, shows the gateway which agent it speaks for.
 *
 * AK1 A key is of one run. It is made before the run starts, and good while the run's row says that it lives; then it is worth nothing.
 * AK2 Only its hash is in the database. The key itself is a file of ours, 0600 below the state directory, which no shield shows; it is in
 *     no environment and no command line.
 * AK3 It opens the endpoints for agents, each of them as this one session, and nothing else: no run, no approval, no answer to an ask.
 * AK4 Made again for the same run (after a crash before the start), the new one is the only one.
 */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSessionRecords } from '@clawdfather/agents';
import type { AccountId, Random } from '@clawdfather/kit';
import type { RunId, Supervisor } from '@clawdfather/supervisor';
import { agentKeysDir, agentKeyPath } from '@clawdfather/tools';
import { hashSecret, newAgentKey } from '../auth/token-text.ts';

export interface AgentKeysDeps {
  readonly stateDir: string;
  readonly random: Random;
  readonly recordsOf: (accountId: AccountId) => Pick<AgentSessionRecords, 'putKey'>;
  readonly supervisor: Pick<Supervisor, 'get'>;
}

export interface AgentKeyMaker {
  make(accountId: AccountId, runId: RunId): Promise<void>;
}

export function createAgentKeyMaker(deps: AgentKeysDeps): AgentKeyMaker {
  const { stateDir, random, recordsOf } = deps;
  return {
    make: async (accountId, runId) => {
      const key = newAgentKey(random);
      // AK1: without a row that lives nobody would know it.
      if (!(await recordsOf(accountId).putKey(runId, hashSecret(key)))) return;
      const path = agentKeyPath(stateDir, runId);
      await mkdir(agentKeysDir(stateDir), { recursive: true, mode: 0o700 });
      const draft = `${path}.new`;
      await writeFile(draft, key, { mode: 0o600 });
      await rename(draft, path);
      await removeOld(deps);
    },
  };
}

/* They are worth nothing any more, and few. */
async function removeOld({ stateDir, supervisor }: AgentKeysDeps): Promise<void> {
  const directory = agentKeysDir(stateDir);
  for (const name of await readdir(directory)) {
    const record = supervisor.get(name.replace(/\.new$/, '') as RunId);
    // A run without a record may be about to start.
    if (record?.treeEndedAtMs !== undefined) await rm(join(directory, name), { force: true });
  }
}
