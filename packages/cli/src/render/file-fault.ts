/*
 * The warning of a command that goes on without the config file: what is wrong with the file, what holds instead, and which
 * runs are looked at, because the file may have named another place for them.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { Config } from '../config.ts';
import { formatOrigin } from '../config/resolve.ts';

export function formatFileFault({ fileFault, stateDir, origins }: Config): string {
  const origin = origins.stateDir;
  const isChosen = origin.kind === 'flag' || origin.kind === 'file';
  const lines = [
    `clf: warning: ${makeVisible(fileFault?.message ?? '')}`,
    ...(fileFault?.hint === undefined ? [] : [`  ${makeVisible(fileFault.hint)}`]),
    '  The file is left aside for this command: its settings are the defaults.',
    `  The state directory is ${makeVisible(stateDir)} (${makeVisible(formatOrigin(origin))}).`,
    ...(isChosen ? [] : ['  If the file names another one, say it: --state-dir DIR']),
  ];
  return `${lines.join('\n')}\n`;
}
