/*
 * Requests a second and their times: one read through the whole gateway (names, token, validation, trace, metrics) against the
 * same query behind a bare Fastify, in turns.
 */
import autocannon from 'autocannon';
import { cpuUsOf, type ServerProcess, startServer } from './server-process.ts';

export interface ApiRound {
  readonly rate: number;
  readonly p99Ms: number;
  /* Processor time of the server per request: what a busy neighbour cannot change much. */
  readonly cpuUs: number;
}

export interface ApiRounds {
  readonly ours: readonly ApiRound[];
  readonly bare: readonly ApiRound[];
}

export interface ApiOptions {
  readonly directory: string;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly connections: number;
}

export async function measureApi(options: ApiOptions): Promise<ApiRounds> {
  const { directory, rounds } = options;
  await using ours = await startServer('./our-server.ts', [directory]);
  const { accountId = '', token = '' } = ours.said;
  await using bare = await startServer('./bare-server.ts', [`${directory}/control.db`, accountId]);
  const bareRounds: ApiRound[] = [];
  const ourRounds: ApiRound[] = [];
  // The first of each warms up: code is compiled, connections are made.
  for (let round = 0; round <= rounds; round += 1) {
    bareRounds.push(await shoot(options, bare, token));
    ourRounds.push(await shoot(options, ours, token));
  }
  return { ours: ourRounds.slice(1), bare: bareRounds.slice(1) };
}

async function shoot(
  options: ApiOptions,
  { pid, said }: ServerProcess,
  token: string,
): Promise<ApiRound> {
  const url = said['url'] ?? '';
  const beforeUs = cpuUsOf(pid);
  const result = await autocannon({
    url: `${url}/api/v1/settings`,
    connections: options.connections,
    duration: options.roundSeconds,
    headers: { authorization: `Bearer ${token}` },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refusals and ${result.errors} errors at ${url}`);
  }
  const cpuUs = (cpuUsOf(pid) - beforeUs) / result.requests.total;
  return { rate: result.requests.average, p99Ms: result.latency.p99, cpuUs };
}
