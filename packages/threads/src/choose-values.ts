/*
 * What a person chooses for the agent of a thread: durable with the commit, set before the next turn by whichever gateway has the agent.
 */
import {
  chooseValues,
  type Choosing,
  type ThreadAudit,
  type ThreadName,
} from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import type { Actors } from './actors.ts';
import type { Asker } from './create-threads.ts';

/* Null: it is not chosen any more. */
export interface Choose extends Pick<Choosing, 'chosen'> {
  readonly by: Asker;
}

export async function chooseInThread(
  { clock }: { readonly clock: Clock },
  actors: Actors,
  { name, chosen, by }: Choose & { readonly name: ThreadName },
): Promise<void> {
  const audits = [choiceAudit({ name, chosen, by })];
  await actors.of(name).rows.change((now) => {
    const change = chooseValues(now, { chosen, actor: by.actor }, clock.wallMs());
    return change && { change, audits };
  });
}

export function choiceAudit({
  name,
  chosen,
  by,
}: Choose & { readonly name: ThreadName }): ThreadAudit {
  const detail = Object.fromEntries(
    Object.entries(chosen).map(([key, value]) => [key, value ?? 'its own choice']),
  );
  return { action: 'thread.choose', ...by, target: name.id, detail };
}
