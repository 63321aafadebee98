/*
 * What a person hears of the connection to a gateway: that it was lost, and that it is back. The rest is not worth a word.
 */
import type { LinkState } from '@clawdfather/sdk';
import type { CommandContext } from '../../command.ts';
import { formatDuration } from '../../render/duration.ts';

export function createLinkTeller({ io }: Pick<CommandContext, 'io'>): (state: LinkState) => void {
  let isLost = false;
  // A closed stderr is no reason to fail.
  const say = (text: string): void => void io.stderr.write(`clf: ${text}\n`).catch(() => {});
  return (state) => {
    // Output and input lose the same connection, and each tries again by itself.
    if (state.kind === 'lost' && !isLost) {
      isLost = true;
      say(`connection lost; trying again in ${formatDuration(state.retryInMs)}`);
    } else if (state.kind === 'live' && isLost) {
      isLost = false;
      say('connected again');
    }
  };
}
