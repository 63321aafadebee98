/*
 * `clf drill --turn`: a gateway is killed in the middle of an agent's answer, and started again; what was seen before and after is compared
 * with what the agent said.
 *
 * Stages: 1 a place, a gateway and an agent of its own · 2 ask, and watch until some of the answer is there · 3 kill -9 · 4 the agent says
 * the rest while no gateway runs · 5 another gateway; the same reader watches on · 6 a second reader reads all of it from the beginning
 * · 7 the receipt. Nothing of the person's is touched, and nothing stays (drill-place.ts).
 */
import { hostname } from 'node:os';
import type { Client } from '@clawdfather/sdk';
import { glimpseRunOfPid } from '@clawdfather/supervisor/peek';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { parseLoginSecret } from '../sign-in/login-secret.ts';
import { createClientOf } from '../sign-in/open-client.ts';
import { type AgentLine, openAgentLine } from './agent-line.ts';
import { createAnswer, digestOf } from './answer-text.ts';
import { type DrillPlace, drillAgent, openDrillPlace } from './drill-place.ts';
import { type DrillGateway, startDrillGateway } from './own-gateway.ts';
import { createReceipt, type TurnReceipt } from './receipt.ts';
import { nothingSeen, watchTurn } from './watch-turn.ts';

export interface DrillParts {
  readonly signal: AbortSignal;
  /* A line about what happens now. */
  readonly onStage: (text: string) => Promise<void>;
}

const looksMax = 200;
const lookMs = 10;

type Context = Pick<CommandContext, 'clock' | 'random' | 'caller'>;

interface Drill extends DrillParts {
  readonly context: Context;
  readonly place: DrillPlace;
  readonly line: AgentLine;
  readonly answer: ReturnType<typeof createAnswer>;
}

export async function drillTurn(context: Context, parts: DrillParts): Promise<TurnReceipt> {
  const seed = context.random.id();
  await using place = openDrillPlace(context.caller, seed);
  await using line = await openAgentLine(place.socketPath);
  return await carryOut({ ...parts, context, place, line, answer: createAnswer(seed) });
}

async function carryOut(drill: Drill): Promise<TurnReceipt> {
  const { context, place, line, answer, signal, onStage } = drill;
  const { clock } = context;
  const first = await startDrillGateway(place, signal);
  await onStage(`a gateway of its own runs as process ${first.pid}`);
  const token = await signIn(drill, first);
  const { client, threadId } = await ask(drill, first, token);
  const { pid: agentPid } = await line.begun(signal);
  const watched = nothingSeen();
  await watchTurn({ ...context, client, threadId, signal }, watched, ({ text }) => text !== '');
  const before = await ownerOf(drill, agentPid);
  const bytesBeforeKill = digestOf(watched.text).bytes;
  const killedAtMs = clock.monotonicMs();
  await first.kill();
  await onStage(`the agent, process ${agentPid}, speaks; the gateway was killed with SIGKILL`);
  line.goOn();
  const said = await line.said(signal);
  const second = await startDrillGateway(place, signal);
  const withoutGatewayMs = clock.monotonicMs() - killedAtMs;
  await onStage(`the next gateway runs as process ${second.pid}`);
  const again = { ...context, client: await clientOf(drill, second, token), threadId, signal };
  await watchTurn(again, watched, () => false);
  const stored = nothingSeen();
  await watchTurn(again, stored, () => false);
  const after = await ownerOf(drill, agentPid);
  return createReceipt({
    expected: answer,
    said,
    watched,
    stored,
    bytesBeforeKill,
    gatewayPids: [first.pid, second.pid],
    generations: [before?.ownerGeneration ?? 0, after?.ownerGeneration ?? 0],
    agentPids: [agentPid, after?.isAlive === true ? agentPid : undefined],
    withoutGatewayMs,
  });
}

async function signIn(drill: Drill, gateway: DrillGateway): Promise<string> {
  const client = await clientOf(drill, gateway);
  const secret = parseLoginSecret(gateway.link);
  if (secret.kind !== 'link') throw new CliError('drill-failed', 'the gateway gave no login link');
  const body = { link: secret.secret, device: `clf drill on ${hostname()}`.slice(0, 64) };
  const { token = '' } = await client.auth.loginLink({ body });
  return token;
}

function clientOf({ place }: Drill, { url }: DrillGateway, token?: string): Promise<Client> {
  return createClientOf({ url, stateDirHere: place.stateDir }, token);
}

async function ask(
  drill: Drill,
  gateway: DrillGateway,
  token: string,
): Promise<{ readonly client: Client; readonly threadId: string }> {
  const { context, place, signal } = drill;
  const { random } = context;
  const client = await clientOf(drill, gateway, token);
  const body = { connection_id: null, agent: drillAgent, directory: place.workDir };
  const options = { idempotencyKey: random.id(), signal };
  const { thread } = await client.threads.create({ body }, options);
  const params = { id: thread.id };
  const prompt = { text: 'Say your text.', client_message_id: random.id() };
  await client.threads.prompt({ params, body: prompt }, { signal });
  return { client, threadId: thread.id };
}

/* As the registry has it: a look beside the gateway, which owns it. Rarely the file is busy, so it is looked at more than once. */
async function ownerOf(
  { context: { clock }, place, signal }: Drill,
  pid: number,
): Promise<ReturnType<typeof glimpseRunOfPid>> {
  for (let look = 0; look < looksMax; look += 1) {
    const found = glimpseRunOfPid(place.stateDir, pid);
    if (found !== undefined) return found;
    await clock.sleep(lookMs, signal);
  }
  return undefined;
}
