/*
 * What the states need beside an account with something on every screen: a thread that was left, one that works, one that waits for it, one that
 * asks for words, and runs that have ended or have a terminal.
 */
import { beginThread, isEnd, prompt, talk, untilEvent } from '../support/conversations.ts';
import type { ThreadEvent } from '@clawdfather/sdk';
import type { RealGateway } from '../support/real-gateway.ts';
import { makeWalkContent, type WalkContent } from './content.ts';

export interface StateContent extends WalkContent {
  /* Ids. */
  readonly left: string;
  readonly archived: string;
  readonly working: string;
  readonly waiting: string;
  readonly question: string;
  readonly endedRun: string;
  readonly terminalRun: string;
}

/* As many as there are then: two turns that ask and one that works, and a run beside those of the command line. What comes after has no place. */
export const stateSettings = {
  queue: { agent: { active: 3, wait: '1d' } },
  gateway: { liveRunsMax: 1 },
};

export async function makeStateContent(gateway: RealGateway): Promise<StateContent> {
  const { client } = gateway;
  const content = await makeWalkContent(gateway);
  const endedRun = await gateway.clf('run', '--detach', '--name', 'over', '--', 'false');
  await client.runs.wait({ params: { id: endedRun.trim() } });
  const command = 'printf "\\033[1mready\\033[0m> "; sleep 100000';
  const terminal = await client.runs.create({
    body: { command, pty: true, name: 'shell', yieldMs: 10 },
  });
  const left = await makeLeft(gateway);
  const archived = await talk(client, 'put away');
  await client.threads.archive({ params: { id: archived } });
  const questioned = await talk(client, 'question: Which branch?', isQuestion);
  const { items } = await client.asks.list();
  return {
    ...content,
    left,
    archived,
    question: items.find((ask) => ask.thread_id === questioned)?.id ?? '',
    endedRun: endedRun.trim(),
    terminalRun: terminal.status === 'running' ? terminal.runId : '',
    ...(await makeBusy(gateway)),
  };
}

const isQuestion = ({ type }: ThreadEvent): boolean => type === 'question';

/* It was looked at, and went on for two turns. */
async function makeLeft({ client }: RealGateway): Promise<string> {
  const id = await talk(client, 'look at me');
  let last = (await client.threads.get({ params: { id } })).thread.last_seq;
  await client.seen.mark({ params: { id }, body: { seq: last } });
  for (const text of ['tool: npm test\nmore of it', 'and more']) {
    await prompt(client, id, text);
    last = (await untilEvent(client, id, (event) => isEnd(event) && event.seq > last)).seq;
  }
  return id;
}

/* One turn is held at a gate that stays closed; the next one has no place. */
async function makeBusy(gateway: RealGateway): Promise<Pick<StateContent, 'working' | 'waiting'>> {
  const { client } = gateway;
  const working = await beginThread(client);
  await prompt(client, working, 'tool: npm test --workspaces\nsleep at walk');
  await gateway.gate('walk').reached();
  const waiting = await beginThread(client);
  await prompt(client, waiting, 'When there is a place.');
  return { working, waiting };
}
