/*
 * An account with something on every screen: threads that are done, asking and failed; a run; a host with its key; a token.
 */
import { openAskingAgent } from '../support/asking-agent.ts';
import { isApproval, talk } from '../support/conversations.ts';
import type { RealGateway } from '../support/real-gateway.ts';

export interface WalkContent {
  /* Ids. */
  readonly done: string;
  readonly asking: string;
  readonly failed: string;
  readonly run: string;
  /* Of the thread that is done. */
  readonly turn: string;
  readonly key: string;
  readonly host: string;
  readonly approval: string;
  readonly ask: string;
}

const doneText = [
  'think: The loop may be simpler.',
  'plan: Read the parser, Make it smaller, Run the tests',
  'tool: Read src/parser.ts',
  'tool: npm test',
  'I have made `src/parser.ts` **tidy**:',
  '',
  '1. one loop in place of three',
  '2. no more copies of the line',
  '',
  '```ts',
  'export const parse = (line: string) => line.trim().split(/\\s+/);',
  '```',
].join('\n');

export async function makeWalkContent(gateway: RealGateway): Promise<WalkContent> {
  const command = ['sh', '-c', 'echo one; sleep 100000'];
  const { client } = gateway;
  const run = await gateway.clf('run', '--detach', '--name', 'nightly', '--', ...command);
  const agent = await openAskingAgent(gateway);
  const asking = await talk(client, 'I need to clean up first.\nask: rm -r build', isApproval);
  const { items } = await client.asks.list();
  const done = await talk(client, doneText);
  const { turns } = await client.threads.get({ params: { id: done } });
  return {
    turn: turns[0]?.id ?? '',
    done,
    approval: await agent.ask('npm publish --access public'),
    ask: items.find((ask) => ask.thread_id === asking)?.id ?? '',
    asking,
    failed: await talk(client, 'fail: the model answered with 529, overloaded'),
    run: run.trim(),
    ...(await addHost(gateway)),
  };
}

/* A host that nobody has tested yet, its key, and a token. */
async function addHost({ client }: RealGateway): Promise<Pick<WalkContent, 'key' | 'host'>> {
  const { key } = await client.keys.create({ body: { label: 'laptop' } });
  const { connection } = await client.connections.create({
    body: { label: 'builder', host: '127.0.0.1', port: 22, username: 'ann', keypair_id: key.id },
  });
  await client.tokens.create({ body: { label: 'ci', scopes: ['read'] } });
  return { key: key.id, host: connection.id };
}
