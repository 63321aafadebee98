/*
 * Requests a second and their times: one read through the whole gateway (names, token, validation, trace, metrics) against the
 * same query behind a bare Fastify, in turns.
 */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { median } from '../measure/statistics.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export interface ApiFigures {
  readonly bareRate: number;
  readonly ourRate: number;
  readonly bareP99Ms: number;
  readonly ourP99Ms: number;
  /* Processor time of the server per request: what a busy neighbour cannot change much. */
  readonly bareCpuUs: number;
  readonly ourCpuUs: number;
}

export interface ApiOptions {
  readonly directory: string;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly connections: number;
}

export async function measureApi(options: ApiOptions): Promise<ApiFigures> {
  const { directory, rounds } = options;
  await using ours = await startServer('./our-server.ts', [directory]);
  const { accountId = '', token = '' } = ours.said;
  await using bare = await startServer('./bare-server.ts', [`${directory}/control.db`, accountId]);
  const bareRounds: Round[] = [];
  const ourRounds: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bareRounds.push(await shoot(options, bare, token));
    ourRounds.push(await shoot(options, ours, token));
  }
  return {
    bareRate: median(bareRounds.map(({ rate }) => rate)),
    ourRate: median(ourRounds.map(({ rate }) => rate)),
    bareP99Ms: median(bareRounds.map(({ p99Ms }) => p99Ms)),
    ourP99Ms: median(ourRounds.map(({ p99Ms }) => p99Ms)),
    bareCpuUs: median(bareRounds.map(({ cpuUs }) => cpuUs)),
    ourCpuUs: median(ourRounds.map(({ cpuUs }) => cpuUs)),
  };
}

interface Round {
  readonly rate: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

async function shoot(
  options: ApiOptions,
  { pid, said }: ServerProcess,
  token: string,
): Promise<Round> {
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

/* The kernel counts in hundredths of a second, whatever its own tick is. */
const tickUs = 10_000;

function cpuUsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
}
