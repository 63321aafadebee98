/*
 * Where what agents ask is listed and answered: at a gateway, or on this machine while none is alive. Commands do not tell them apart.
 */
import { type Client, RefusedError } from '@clawdfather/sdk';
import { CliError } from '../errors.ts';
import type { Ask } from './thread-types.ts';

export type AskBody = Parameters<Client['asks']['answer']>[0]['body'];

export interface AskDesk {
  /* What waits, oldest first. */
  list(signal?: AbortSignal): Promise<readonly Ask[]>;
  /* Also what is over, as far as it is known here. */
  listAll(signal?: AbortSignal): Promise<readonly Ask[]>;
  /* As it is now; undefined: it was forgotten in the meantime. */
  get(id: string, signal?: AbortSignal): Promise<Ask | undefined>;
  /* As it is afterwards. Throws `approval-decided`. */
  answer(ask: Ask, body: AskBody): Promise<AnsweredAsk>;
}

export interface AnsweredAsk {
  readonly ask: Ask;
  /* Why the agent may not have the answer yet. */
  readonly undelivered?: string | undefined;
}

export function createDeskAtGateway({ asks }: Pick<Client, 'asks'>): AskDesk {
  const ends = (signal?: AbortSignal) => (signal === undefined ? {} : { signal });
  return {
    list: async (signal) => (await asks.list({}, ends(signal))).items,
    listAll: async (signal) => (await asks.list({ query: { state: 'all' } }, ends(signal))).items,
    get: (id, signal) =>
      asks.get({ params: { id } }, ends(signal)).catch((error: unknown) => {
        if (isRefused(error, 'not_found')) return undefined;
        throw error;
      }),
    answer: async (ask, body) => {
      const answered = await asks
        .answer({ params: { id: ask.id }, body })
        .catch((error: unknown) => {
          throw isRefused(error, 'already_decided') ? decidedError(ask) : error;
        });
      return { ask: answered };
    },
  };
}

function isRefused(error: unknown, code: 'not_found' | 'already_decided'): boolean {
  return error instanceof RefusedError && error.refusal.code === code;
}

export function decidedError({ id }: Pick<Ask, 'id'>): CliError {
  return new CliError('approval-decided', `${id} was answered before, or waits no longer`, {
    detail: { approvalId: id },
  });
}
