/*
 * Contender: our supervisor with the shield of agents around every command, planned for each start as the tools do it.
 */
import { join } from 'node:path';
import { createSystemClock } from '@clawdfather/kit';
import { createShield } from '@clawdfather/tools';
import { openSupervised, type SupervisedContender } from './supervised.ts';

export async function openShielded(stateDir: string): Promise<SupervisedContender> {
  const home = join(stateDir, 'home');
  const shield = createShield({
    clock: createSystemClock(),
    settings: { mode: 'require', hide: [], open: [], write: [] },
    ownDirectories: [stateDir],
    given: [],
    ours: [],
    programs: [],
    privateDir: join(stateDir, 'shield'),
    home,
    runtimeDir: undefined,
    searchPath: '',
  });
  return openSupervised(stateDir, {
    isTerminal: false,
    isLent: true,
    around: async (input) => {
      const described = await shield.describe({ tree: undefined });
      return described === undefined ? input : { ...input, shield: described };
    },
  });
}
