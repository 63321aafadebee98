/*
 * The queue over HTTP: what waits, and what people change of it.
 */
import type { JsonObject } from '@clawdfather/agents';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { showLane, showQueued } from '../agents/show-queue.ts';
import type { CallerThreads } from '../agents/caller-threads.ts';
import { beginningOf, showTurnOf } from '../agents/show-thread.ts';
import type { Handlers } from '../http/handlers.ts';
import { type ThreadsParts, threadsOf } from './threads.ts';

export function createQueueHandlers(parts: ThreadsParts): Handlers<Api['queue']> {
  return {
    list: async (call) => {
      const mine = threadsOf(parts, call);
      const { limit, words } = call.query;
      const { lanes, waiting, total } = await mine.queue(limit);
      const items = waiting.map(showQueued);
      return {
        lanes: lanes.map(showLane),
        items: words === 'true' ? await withWords(mine, items) : items,
        total,
      };
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

type Item = AnswerOf<Api['queue']['list']>['items'][number];

/* One after the other: prompts may be long, and only one of them is held at a time. One that is gone by now has no words. */
async function withWords(mine: CallerThreads, items: readonly Item[]): Promise<Item[]> {
  const titles = new Map<string, string>();
  const told: Item[] = [];
  for (const item of items) {
    const { thread_id: threadId, turn_id: turnId } = item;
    const title = titles.get(threadId) ?? (await mine.records.get(threadId))?.title ?? '';
    titles.set(threadId, title);
    const turn = await mine.records.turn(turnId);
    const begins = turn === undefined ? null : beginningOf(turn);
    told.push({ ...item, thread_title: title, text_begins: begins });
  }
  return told;
}
