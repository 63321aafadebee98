/*
 * What agents of this machine ask, without a gateway: read from the agents' journals and the control database, which is opened with the
 * gateway's own settings and as it is.
 *
 * Opened as far as needed: without an agent that lives nothing is asked, and the database is left alone. What is open stays open until it
 * is closed, because opening a supervisor writes, and would wake who watches.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@clawdfather/kit';
import type { Supervisor } from '@clawdfather/supervisor';
import { agentBackend } from '@clawdfather/supervisor/origins';
import { glimpseAgent } from '@clawdfather/supervisor/peek';
import type { CommandContext } from '../command.ts';
import type { Config } from '../config.ts';
import { CliError } from '../errors.ts';
import { databaseFrom } from '../gateway/gateway-config.ts';
import { personHere } from '../runs/who-asks.ts';
import { openSupervisorHere } from '../runs/with-supervisor.ts';
import { loadAsksHere } from '../serve.ts';
import { type AskDesk, decidedError } from './ask-desk.ts';

type OpenedAsks = Awaited<ReturnType<Awaited<ReturnType<typeof loadAsksHere>>['openAsksHere']>>;

export interface MachineAsks {
  /* Undefined: no agent can ask anything here. Throws `asks-unreachable`. */
  open(): Promise<AskDesk | undefined>;
  close(): Promise<void>;
}

/* For a command that goes on looking: a database that is not there is not waited for at every look. */
const pauseMs = 15_000;

export function createMachineAsks(context: CommandContext): MachineAsks {
  const { config, clock, random } = context;
  let supervisor: Supervisor | undefined;
  let opened: OpenedAsks | undefined;
  let failed: { readonly error: unknown; readonly atMs: number } | undefined;
  return {
    open: async () => {
      if (supervisor === undefined && !mayHaveAgents(config)) return undefined;
      if (supervisor === undefined) {
        supervisor = await openSupervisorHere(context, { whenUnwritable: 'refuse' });
      } else {
        // An agent that has ended since has no owner to record it.
        await supervisor.reconcile();
      }
      const agents = { backendId: agentBackend, hasTree: true, limit: 1 } as const;
      if (supervisor.list(agents).length === 0) return undefined;
      if (failed !== undefined && clock.monotonicMs() < failed.atMs + pauseMs) throw failed.error;
      const { openAsksHere } = await loadAsksHere();
      const opening = { database: databaseFrom(config), supervisor, clock, random };
      opened ??= await reached(openAsksHere(opening)).catch((error: unknown) => {
        failed = { error, atMs: clock.monotonicMs() };
        throw error;
      });
      return deskOf(opened);
    },
    close: async () => {
      await opened?.[Symbol.asyncDispose]();
      opened = undefined;
      await supervisor?.close();
      supervisor = undefined;
    },
  };
}

/* Where no gateway ever ran, no agent of a thread did, and nothing has to be opened to know it. */
function mayHaveAgents({ values, stateDir }: Config): boolean {
  const path = values['gateway.database.path'] ?? join(stateDir, 'control.db');
  const isSet = values['gateway.database.urlFile'] !== undefined;
  return isSet || existsSync(path) || glimpseAgent(stateDir);
}

function deskOf(opened: OpenedAsks): AskDesk {
  return {
    list: () => reached(opened.list()),
    // What is over is shown by a gateway.
    listAll: () => reached(opened.list()),
    get: (id) => reached(opened.get(id)),
    answer: async (ask, body) => {
      const answered = await reached(opened.answer(ask.id, { body, actor: personHere() }));
      // The option was chosen from what is offered, so only this is left.
      if (answered.outcome !== 'answered') throw decidedError(ask);
      return { ask: answered.ask, undelivered: answered.undelivered?.message };
    },
  };
}

const unreachable = /^(?:store|migration)-|^outcome-unknown$/;

async function reached<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CodedError) || !unreachable.test(error.code)) throw error;
    const { message, hint, detail } = error;
    throw new CliError(
      'asks-unreachable',
      `what agents ask is in the control database, which cannot be used: ${message}`,
      {
        cause: error,
        detail: { ...detail, store: error.code },
        hint: `${hint === undefined ? '' : `${hint} `}The agents wait; what they ask can be answered when it is back, here or at a gateway.`,
      },
    );
  }
}
