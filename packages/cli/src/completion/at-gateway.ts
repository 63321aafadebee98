/*
 * Words that only a gateway knows, for a shell that waits for them: its runs, what waits there for a decision, its rules, its threads.
 *
 * A person has pressed a key, so the gateway has little time to answer, and whatever goes wrong leaves no words and no message.
 */
import { type Clock, orAborted, startTimeLimit } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import { shortIdChars } from '../runs/find-run.ts';
import type { Target } from '../sign-in/find-gateway.ts';

export interface AskedWords<Word> {
  readonly words: readonly Word[];
  /* No answer came in time, and something may still wait for one. */
  readonly isLate: boolean;
}

/* Of one request; the newest. */
const wordsMax = 100;

export interface Patience {
  readonly clock: Clock;
  readonly waitMs: number;
}

export interface RunWord {
  readonly runId: string;
  readonly name: string | undefined;
  readonly command: string;
}

export interface AskedRuns {
  readonly isAliveOnly: boolean;
  readonly host: string | undefined;
}

export function askRuns(
  patience: Patience,
  target: Target,
  { isAliveOnly, host }: AskedRuns,
): Promise<AskedWords<RunWord>> {
  return ask(patience, target, async (client, signal) => {
    const query = {
      limit: wordsMax,
      ...(isAliveOnly ? { state: 'running' as const } : {}),
      ...(host === undefined ? {} : { host }),
    };
    const { items } = await client.runs.list({ query }, { signal });
    return items
      .filter(({ runId }) => isPlain(runId))
      .map(({ runId, name, command }) => ({
        runId,
        name: name !== null && isPlain(name) ? name : undefined,
        command,
      }));
  });
}

export interface ApprovalWord {
  readonly approvalId: string;
  readonly why: string;
}

export function askApprovals(
  patience: Patience,
  target: Target,
): Promise<AskedWords<ApprovalWord>> {
  return ask(patience, target, async (client, signal) => {
    const query = { limit: wordsMax, state: 'pending' } as const;
    const [approvals, asks] = await Promise.all([
      client.approvals.list({ query }, { signal }),
      client.asks.list({}, { signal }),
    ]);
    return [
      ...approvals.items.map(({ id, why }) => ({ approvalId: id, why })),
      ...asks.items.map(({ id, agent, title }) => ({ approvalId: id, why: `${agent}: ${title}` })),
    ].filter(({ approvalId }) => isPlain(approvalId));
  });
}

export interface RuleWord {
  readonly ruleId: string;
  readonly program: string;
}

export function askRules(patience: Patience, target: Target): Promise<AskedWords<RuleWord>> {
  return ask(patience, target, async (client, signal) => {
    const { items } = await client.approvalRules.list({ query: { limit: wordsMax } }, { signal });
    return items
      .filter(({ id }) => isPlain(id))
      .map(({ id, program }) => ({ ruleId: id, program }));
  });
}

export interface NamedWord {
  readonly value: string;
  readonly summary: string;
}

/* By their labels where a shell can take them as they are, else by their ids. */
export function askNames(
  patience: Patience,
  target: Target,
  what: NamedThings,
): Promise<AskedWords<NamedWord>> {
  return ask(patience, target, (client, signal) => readNames[what](client, signal)).then(
    ({ words, isLate }) => ({ words: words.filter(({ value }) => isPlain(value)), isLate }),
  );
}

export type NamedThings = 'hosts' | 'keys' | 'sessions' | 'threads' | 'queued-turns' | 'agents';

type ReadNames = (client: Client, signal: AbortSignal) => Promise<NamedWord[]>;

const query = { limit: wordsMax };

const readNames: Readonly<Record<NamedThings, ReadNames>> = {
  hosts: async (client, signal) => {
    const { items } = await client.connections.list({ query }, { signal });
    return items.map(({ id, label, host, username }) => ({
      value: isPlain(label) ? label : id,
      summary: `${username}@${host}`,
    }));
  },
  keys: async (client, signal) => {
    const { items } = await client.keys.list({ query }, { signal });
    return items.map(({ id, label, status, fingerprint }) => ({
      // The one that is being replaced has the same label.
      value: isPlain(label) && status === 'active' ? label : id,
      summary: `${status} ${fingerprint}`,
    }));
  },
  sessions: async (client, signal) => {
    const active = { ...query, status: 'active' } as const;
    const { items } = await client.sessions.list({ query: active }, { signal });
    return items.map(({ id, connection }) => ({ value: id, summary: connection?.label ?? '' }));
  },
  // Their titles are the beginnings of what was said, and nothing that a person types.
  threads: async (client, signal) => {
    const { items } = await client.threads.list({ query }, { signal });
    return items.map(({ id, title }) => ({ value: id.slice(0, shortIdChars), summary: title }));
  },
  'queued-turns': async (client, signal) => {
    const { items } = await client.queue.list({ query }, { signal });
    return items.map(({ turn_id: id, agent, reason }) => ({
      value: id.slice(0, shortIdChars),
      summary: `${agent}: ${reason.message}`,
    }));
  },
  agents: async (client, signal) => {
    const { items } = await client.agents.list({}, { signal });
    return items.map(({ name, title }) => ({ value: name, summary: title }));
  },
};

/* What ids and names are made of. A shell puts a word on the line as it is, so nothing that it would execute may be among them. */
function isPlain(word: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(word);
}

async function ask<Word>(
  { clock, waitMs }: Patience,
  target: Target,
  work: (client: Client, signal: AbortSignal) => Promise<readonly Word[]>,
): Promise<AskedWords<Word>> {
  const { openClient } = await import('../sign-in/open-client.ts');
  using limit = startTimeLimit(clock, waitMs, []);
  const { signal } = limit;
  try {
    const { client } = await openClient(target);
    return { words: await orAborted(work(client, signal), signal), isLate: false };
  } catch {
    // Not there, not signed in, or too late: a shell that completes a word is no place to say so.
    return { words: [], isLate: signal.aborted };
  }
}
