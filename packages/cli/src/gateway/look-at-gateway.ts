/*
 * How the gateway of this machine is: its file, its process, and what it says of itself on /health and /readyz.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { formatDisk, readDisk } from '@clawdfather/supervisor/disk';
import type { CommandContext } from '../command.ts';
import { type FoundGateway, findGateway, type GatewayRecord } from './gateway-file.ts';

export interface Health {
  /* `ok`, `degraded`, `unhealthy`. */
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
  /* What it counts: sessions, sockets, runs. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface GatewayLook {
  readonly found: FoundGateway;
  readonly isReady: boolean;
  /* Undefined when it did not answer. */
  readonly health: Health | undefined;
  /* What is wrong with the disk of its state, where it is not well; undefined: nothing that is seen. */
  readonly diskFault: string | undefined;
}

/* On the same machine an answer takes milliseconds; a gateway that is busy for this long is not well. */
const answerMsMax = 3_000;

export async function lookAtGateway({
  config,
}: Pick<CommandContext, 'config'>): Promise<GatewayLook> {
  const found = findGateway(config.stateDir);
  if (found.kind !== 'running') {
    return { found, isReady: false, health: undefined, diskFault: undefined };
  }
  const [health, isReady] = await Promise.all([readHealth(found.record), readReady(found.record)]);
  const isWell = isReady && health?.checks['filesystem']?.status === 'ok';
  return { found, isReady, health, diskFault: isWell ? undefined : diskFaultOf(config.stateDir) };
}

function diskFaultOf(stateDir: string): string | undefined {
  const disk = readDisk(stateDir);
  return disk.cause === 'failing' ? undefined : formatDisk(disk);
}

async function readHealth(record: GatewayRecord): Promise<Health | undefined> {
  const answer = await ask(record, '/health');
  const json = parseObject(answer?.text ?? '');
  if (json === undefined) return undefined;
  const { status, checks } = json;
  return {
    status: typeof status === 'string' ? status : 'unknown',
    checks: typeof checks === 'object' && checks !== null ? (checks as Health['checks']) : {},
    counts: Object.fromEntries(
      Object.entries(json).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    ),
  };
}

async function readReady(record: GatewayRecord): Promise<boolean> {
  return (await ask(record, '/readyz'))?.status === 200;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null;
    return isObject ? (json as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/*
 * Undefined: no answer at all. Its certificate is for the name that people use, not for the address on this machine, so it is
 * not checked here: the process was verified, and nothing secret is sent.
 */
function ask({ url }: GatewayRecord, path: string): Promise<Answer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
  const target = new URL(path, url);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(
    target,
    { timeout: answerMsMax, rejectUnauthorized: false, agent: false },
    (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', () => resolve(undefined));
    },
  );
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(undefined));
  request.on('close', () => resolve(undefined));
  request.end();
  return promise;
}
