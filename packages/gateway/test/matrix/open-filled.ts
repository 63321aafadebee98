/*
 * A gateway for fuzzing: it has one of everything, and from its second start on it runs no command, whatever gets through. Of agents one turn runs,
 * which waits for an answer, so what else is said waits.
 */
import { agentKeyFor } from '../fixtures/agent-key-for.ts';
import { openTestGateway, systemDeps, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { type Gateway, openGateway } from '../../src/open-gateway.ts';
import { makeThings } from './make-things.ts';
import type { Made } from './rows.ts';

export interface FilledGateway extends Pick<TestGateway, 'owner' | 'url'>, AsyncDisposable {
  readonly gateway: Gateway;
  readonly made: Made;
  readonly agentKey: string;
  /* As the agent of that key sees them: its own thread. */
  readonly madeForAgent: Made;
}

const nothing = { security: 'deny', ask: 'off' } as const;

export async function openFilled(): Promise<FilledGateway> {
  await using opening = new AsyncDisposableStack();
  const rig = opening.use(await openTestGateway());
  const made = await makeThings(rig);
  const agent = await agentKeyFor(rig, rig.owner);
  await rig.gateway.close();
  const { config, owner } = rig;
  const gateway = opening.use(
    await openGateway(
      {
        ...config,
        runs: { ...config.runs, personPolicy: nothing, agentPolicy: nothing },
        agents: { named: [], ...config.agents, queue: { agent: { activeMax: 1 } } },
      },
      systemDeps(),
    ),
  );
  const all = opening.move();
  return {
    gateway,
    url: gateway.url,
    owner,
    made,
    agentKey: agent.key,
    madeForAgent: { ...made, threadId: agent.thread.id },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
