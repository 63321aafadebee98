/*
 * The queue of a gateway, and from what a person typed to the one turn in it that is meant: a unique beginning of its id.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';
import type { QueuedTurn, QueueAnswer } from './thread-types.ts';

/* As many as the gateway shows. */
export function readQueue(client: Client): Promise<QueueAnswer> {
  return client.queue.list({ query: {} });
}

export function findQueued(items: readonly QueuedTurn[], typed: string): QueuedTurn {
  const found = items.filter(({ turn_id: id }) => typed !== '' && id.startsWith(typed));
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one;
  const shown = makeVisible(typed);
  if (one === undefined) {
    throw new CliError('turn-not-found', `no turn that waits is called "${shown}"`, {
      hint: 'Those that wait: clf queue. One that runs is stopped with clf threads cancel.',
      detail: { typed },
    });
  }
  throw new CliError('turn-ambiguous', `several turns begin with "${shown}"`, {
    hint: `Say which: ${found.map(({ turn_id: id }) => id).join(', ')}`,
    detail: { typed },
  });
}
