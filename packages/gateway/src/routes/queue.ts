/*
 * The queue over HTTP: what waits, and what people change of it.
 */
import type { JsonObject } from '@clawdfather/agents';
import type { Api } from '@clawdfather/protocol/api';
import { showLane, showQueued } from '../agents/show-queue.ts';
import { showTurnOf } from '../agents/show-thread.ts';
import type { Handlers } from '../http/handlers.ts';
import { type ThreadsParts, threadsOf } from './threads.ts';

export function createQueueHandlers(parts: ThreadsParts): Handlers<Api['queue']> {
  return {
    list: async (call) => {
      const { lanes, waiting, total } = await threadsOf(parts, call).queue(call.query.limit);
      return { lanes: lanes.map(showLane), items: waiting.map(showQueued), total };
    },
    move: async (call) => {
      const mine = threadsOf(parts, call);
      await mine.move(call.params.id, call.body.before);
      return { turn: await showTurnOf(mine, call.params.id) };
    },
    edit: async (call) => {
      const mine = threadsOf(parts, call);
      const { text, blocks, load_class: loadClass, not_before: notBefore } = call.body;
      const said = text === undefined ? undefined : [{ type: 'text', text }];
      await mine.edit({
        turnId: call.params.id,
        prompt: (blocks as readonly JsonObject[] | undefined) ?? said,
        loadClass,
        notBeforeMs: typeof notBefore === 'string' ? Date.parse(notBefore) : notBefore,
      });
      return { turn: await showTurnOf(mine, call.params.id) };
    },
  };
}
