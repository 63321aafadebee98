/*
 * A query for runs as the gateway's list takes it. What the list cannot be asked is compared here.
 */
import { nameLabel } from '@clawdfather/supervisor/origins';
import type { Api, CallOf } from '@clawdfather/protocol/api';
import type { Client } from '@clawdfather/sdk';
import type { Run, RunQuery } from '../place.ts';
import { allPages } from './all-pages.ts';
import { runOf, type RunAnswer } from './run-of-answer.ts';

type Query = NonNullable<CallOf<Api['runs']['list']>['query']>;

type HostQuery = Omit<RunQuery, 'isAnyHost'> & { readonly host?: string };

export async function listAnswers(client: Client, query: HostQuery): Promise<readonly RunAnswer[]> {
  const asked = queryOf(query);
  const read = (page: { readonly limit: number; readonly offset: number }) =>
    client.runs.list({ query: { ...asked, ...page } });
  return allPages(read, query.limit, (answer) => isMeant(runOf(answer), query));
}

function queryOf(query: HostQuery): Query {
  const { states, idPrefix, labels = {}, sessionId, backendId, host, withUse = false } = query;
  const state = stateOf(states);
  const { [nameLabel]: name, ...others } = labels;
  const [label] = Object.entries(others);
  return {
    ...(state === undefined ? {} : { state }),
    ...(idPrefix === undefined ? {} : { prefix: idPrefix }),
    ...(name === undefined ? {} : { name }),
    ...(label === undefined ? {} : { label: label.join('=') }),
    ...(sessionId === undefined ? {} : { session: sessionId }),
    ...(backendId === undefined ? {} : { backend: backendId }),
    ...(host === undefined ? {} : { host }),
    ...(withUse ? { use: 'true' } : {}),
  };
}

function stateOf(states: RunQuery['states']): Query['state'] {
  if (states === undefined) return undefined;
  if (states.every((state) => state === 'exited')) return 'finished';
  return states.includes('exited') ? undefined : 'running';
}

function isMeant(run: Run, { states, labels = {} }: RunQuery): boolean {
  const isState =
    states === undefined ||
    // What is held is listed with what is about to start.
    states.includes(run.state === 'held' ? 'starting' : run.state);
  return isState && Object.entries(labels).every(([name, value]) => run.labels[name] === value);
}
