/*
 * Whoever talks to the agents of a campaign: keeps some threads busy, answers what agents ask, lets an agent go after some turns and begins
 * another thread. All that it knows it reads from the database, so the next gateway's person goes on where this one was.
 */
import type { ThreadRecords, ThreadRow } from '@clawdfather/agents';
import { type Clock, createSignalBell, hasCode, type AccountId } from '@clawdfather/kit';
import type { EventDesk, Threads } from '@clawdfather/threads';
import { messageIdOf, planTurn } from './turn-plan.ts';

export interface PersonDeps {
  readonly accountId: AccountId;
  readonly records: ThreadRecords;
  readonly threads: Threads;
  readonly desk: EventDesk;
  readonly clock: Clock;
  readonly directory: string;
  readonly choice: number;
  readonly isLast: boolean;
}

const threadsAtOnce = 3;
/* Then its agent is let go, so that starts and handshakes are met by kills, too. */
const turnsPerThread = 10;
/* Where no event tells that something has changed. */
const lookAgainMs = 50;

/* Of the last one: until nothing is left to do. */
export async function keepTalking(deps: PersonDeps): Promise<void> {
  const { records, threads, desk, clock, isLast, accountId, directory } = deps;
  const bell = createSignalBell();
  desk.followAll(() => bell.ring());
  for (;;) {
    const { items } = await records.list({ limit: 100 });
    for (const thread of items) await lookAt(deps, thread);
    if (isLast && items.length === 0) return;
    for (let count = items.length; !isLast && count < threadsAtOnce; count += 1) {
      await threads.create(
        accountId,
        { agent: 'echo', cwd: directory, title: 'chaos' },
        { actor: 'device:1' },
      );
    }
    const again = clock.timer(lookAgainMs, () => bell.ring());
    await bell.wait(new AbortController().signal);
    again.cancel();
  }
}

async function lookAt(deps: PersonDeps, { id }: ThreadRow): Promise<void> {
  const { records, threads, accountId, isLast } = deps;
  const rows = await records.load(id);
  if (rows === undefined) return;
  for (const ask of rows.asks.values()) await answer(deps, ask);
  if (rows.turn !== undefined || rows.queue.length > 0) return;
  const index = (await records.turns(id)).length;
  if (!isLast && index < turnsPerThread) {
    const blocks = [{ type: 'text', text: planTurn(id, index).prompt }];
    const asked = { loadClass: 'long_task', by: { actor: 'device:chaos' } } as const;
    const clientMessageId = messageIdOf(index);
    await threads.prompt({ accountId, id }, { blocks, ...asked, clientMessageId });
  } else if (rows.run === undefined) await records.archive(id);
  else if (rows.run.state === 'open') await threads.agents.closeSession({ accountId, id });
}

async function answer(
  { threads, accountId, choice }: PersonDeps,
  { id, params }: { readonly id: string; readonly params: Readonly<Record<string, unknown>> },
): Promise<void> {
  const options = params['options'] as readonly { readonly optionId: string }[];
  const optionId = options[choice % options.length]?.optionId ?? '';
  const by = { actor: `device:${choice}` };
  const reply = { answer: { kind: 'option', optionId }, by } as const;
  await threads.answer(accountId, id, reply).catch((error: unknown) => {
    // It was answered between the look and this.
    if (!hasCode(error, 'ask-decided')) throw error;
  });
}
