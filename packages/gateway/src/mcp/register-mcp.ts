/*
 * `/mcp`: the tools for agents over HTTP, in every revision of the protocol.
 *
 * Stages: 1 names and origin (create-server.ts) · 2 whose token · 3 how many at once · 4 the protocol. What belongs to the protocol is
 * loaded with the first request that gets so far: a start does not pay for it.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { Endpoint } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../auth/authenticate.ts';
import type { FairTurns } from '../accounts/fair-turns.ts';
import type { LiveTokens } from '../auth/live-tokens.ts';
import type { Caller } from '../http/caller.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import { awaitTurn } from '../http/register-endpoints.ts';
import type { RunsFor } from '../runs/caller-runs.ts';
import type { Runs } from '../runs/open-runs.ts';
import { admitAgent } from './admit-agent.ts';
import { openExchange } from './exchange.ts';
import { bodyBytesMax } from './limits.ts';
import type { McpEndpoint } from './serve-mcp.ts';

export interface McpParts {
  readonly config: { readonly version: string };
  readonly authenticate: Authenticate;
  readonly tokens: LiveTokens;
  readonly turns: FairTurns;
  readonly streams: OpenStreams;
  readonly runs: Runs;
  readonly runsFor: RunsFor;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/* Not one of the table: its bodies are the protocol's. Here for what holds for every route. */
const endpoint: Endpoint = {
  method: 'POST',
  path: '/mcp',
  summary: 'MCP: the tools exec and process for agents.',
  access: 'read',
  takesLong: true,
};

export function registerMcp(server: FastifyInstance, parts: McpParts): void {
  // Requests count like streams: a revoked token ends them, and an account has so many at once.
  const { streams } = parts;
  let serving: Promise<McpEndpoint> | undefined;
  let isClosing = false;
  const load = (): Promise<McpEndpoint> => {
    serving ??= import('./serve-mcp.ts').then(({ createMcpEndpoint }) =>
      createMcpEndpoint({ ...parts, version: parts.config.version }),
    );
    return serving;
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // The hook before has set it.
    const caller = request.caller as Caller;
    request.leaveTurn?.();
    const exchange = openExchange({ request, reply, caller, isClosing: () => isClosing });
    exchange.mcp.onDone(streams.add(caller, () => exchange.drop()));
    const mcp = await load();
    await exchange.send(await mcp.answer(exchange));
    return reply;
  };
  // Before the connections are cut, which would look like clients that leave.
  server.addHook('preClose', async () => {
    isClosing = true;
    await (await serving)?.close();
  });
  void server.register((scope, _options, done) => {
    // As it came: what is no JSON is answered in the protocol's words.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, next) =>
      next(null, body),
    );
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      bodyLimit: bodyBytesMax,
      exposeHeadRoute: false,
      config: { endpoint },
      // Before the body is read: a stranger's costs nothing.
      onRequest: (request, reply, next) => {
        const admitted = admitAgent(parts.authenticate, request).then((caller) => {
          request.caller = caller;
        });
        admitted.then(() => awaitTurn(parts, { request, reply }, next), next);
      },
      handler: handle,
    });
    done();
  });
}
