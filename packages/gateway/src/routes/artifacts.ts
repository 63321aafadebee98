/*
 * What turns leave, over HTTP: the list of a turn, for its account, and the bytes of a file, for whoever has its address.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import type { AgentThreads } from '../agents/open-threads.ts';
import { notFound } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';

export interface ArtifactsParts {
  readonly store: Store;
  readonly agentThreads: Pick<AgentThreads, 'artifacts'>;
}

export function createArtifactsHandlers(parts: ArtifactsParts): Handlers<Api['artifacts']> {
  const { store, agentThreads } = parts;
  const { artifacts } = agentThreads;
  return {
    ofTurn: async ({ caller: { accountId }, params: { id } }) => {
      const turn = await store.forAccount(accountId).threads.turn(id);
      if (turn === undefined) throw notFound();
      return artifacts.list(accountId, id);
    },
    download: async (call) => {
      await artifacts.serve(call);
      // Fastify waits for what was sent.
      return call.reply as never;
    },
  };
}
