/*
 * What a person hears of the connection to a gateway: that it was lost, and that it is back. The rest is not worth a word.
 */
import type { LinkState } from '@clawdfather/sdk';
import type { CommandContext } from '../../command.ts';

export function createLinkTeller({ io }: Pick<CommandContext, 'io'>): (state: LinkState) => void {
  let isLost = false;
  // A closed stderr is no reason to fail.
  const say = (text: string): void => void io.stderr.write(`clf: ${text}\n`).catch(() => {});
  return (state) => {
    // Output and input lose the same connection, and each tries again by itself.
    if (state.kind === 'lost' && !isLost) {
      isLost = true;
      // No time: it would be said once, and grows with each attempt.
      say('connection lost; trying again');
    } else if (state.kind === 'live' && isLost) {
      isLost = false;
      say('connected again');
    }
  };
}
