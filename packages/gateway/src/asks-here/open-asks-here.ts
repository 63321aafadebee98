/*
 * The control database and the agents of this machine, joined without a gateway: what they ask, shown as the API shows it and answered as
 * the API does. The database is opened as it is: it is neither made nor migrated, and no lease and no session changes hands.
 */
import { type AnswerRefusal, createAsksHere, type FoundAsk } from '@clawdfather/agents/asks';
import type { Clock, Random } from '@clawdfather/kit';
import { openStoreAsItIs, type StoreLocation } from '@clawdfather/store';
import type { Supervisor } from '@clawdfather/supervisor';
import { type AskBody, answerOf, type ShownAsk, showAsk } from '../agents/show-ask.ts';

export type { AskBody } from '../agents/show-ask.ts';

export interface AsksHereOptions {
  /* As the gateway has it. */
  readonly database: StoreLocation;
  readonly supervisor: Pick<Supervisor, 'attach' | 'get' | 'instanceId'>;
  readonly clock: Clock;
  readonly random: Random;
}

export type AnsweredHere =
  /* `undelivered`: why the agent may not have the answer yet, which the next gateway delivers. */
  | {
      readonly outcome: 'answered';
      readonly ask: ShownAsk;
      readonly undelivered: Error | undefined;
    }
  | { readonly outcome: AnswerRefusal };

export interface OpenedAsks extends AsyncDisposable {
  /* All that waits for a person, oldest first. */
  list(): Promise<readonly ShownAsk[]>;
  /* One that was listed, as it is now; undefined: it is forgotten. */
  get(id: string): Promise<ShownAsk | undefined>;
  answer(
    id: string,
    reply: { readonly body: AskBody; readonly actor: string },
  ): Promise<AnsweredHere>;
}

/* A person waits: PostgreSQL answers in milliseconds, or it is not there. */
const answerMs = 5_000;
const retryForMs = 3_000;
/* One asks at a time. */
const poolMax = 2;

export async function openAsksHere({
  database,
  supervisor,
  clock,
  random,
}: AsksHereOptions): Promise<OpenedAsks> {
  const location: StoreLocation =
    database.kind === 'sqlite' ? database : { answerMs, retryForMs, poolMax, ...database };
  const store = await openStoreAsItIs(location, { clock, random });
  const asks = createAsksHere({
    recordsOf: (accountId) => store.forAccount(accountId).threads,
    due: store.system.threads,
    supervisor,
    clock,
  });
  /* Where each is to be found that is in the last list, or was in the one before: how it ended is asked for next. */
  let listed: ReadonlyMap<string, FoundAsk> = new Map();
  let last: readonly FoundAsk[] = [];
  const get = async (id: string): Promise<ShownAsk | undefined> => {
    const found = listed.get(id);
    const now = found && (await asks.find(found));
    return now && showAsk(now.ask, now.agent);
  };
  return {
    list: async () => {
      const found = await asks.list();
      listed = new Map([...last, ...found].map((one) => [one.ask.id, one]));
      last = found;
      return found.map(({ ask, agent }) => showAsk(ask, agent));
    },
    get,
    answer: async (id, { body, actor }) => {
      const found = listed.get(id);
      if (found === undefined) return { outcome: 'ask-not-found' };
      const answered = await asks.answer(found, { answer: answerOf(body), actor });
      if (answered.outcome !== 'answered') return answered;
      const ask = (await get(id)) ?? showAsk(found.ask, found.agent);
      return { ...answered, ask };
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
