/*
 * Makes a contender from its name; ours is given a state directory of its own.
 */
import { assertNever } from '@clawdfather/kit';
import type { Contender, ContenderName } from './contender.ts';
import { createExeca } from './execa.ts';
import { createNodePty } from './node-pty.ts';
import { createRaw } from './raw.ts';
import { openShielded } from './shielded.ts';
import { openSupervised } from './supervised.ts';

export async function openContender(name: ContenderName, stateDir: string): Promise<Contender> {
  switch (name) {
    case 'supervisor':
      return openSupervised(stateDir, { isTerminal: false, isLent: true });
    case 'supervisor-pty':
      return openSupervised(stateDir, { isTerminal: true, isLent: true });
    case 'supervisor-kept':
      return openSupervised(stateDir, { isTerminal: false, isLent: false });
    case 'supervisor-shielded':
      return openShielded(stateDir);
    case 'child_process':
      return createRaw({ isGroup: false });
    case 'child_process-group':
      return createRaw({ isGroup: true });
    case 'execa':
      return createExeca();
    case 'node-pty':
      return createNodePty();
    default:
      return assertNever(name);
  }
}
