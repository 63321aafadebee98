/*
 * The settings of the one queue of turns (docs/queue.md). The usual numbers are those of packages/threads, where their reasons are; this
 * file must not load that, since every command reads its settings.
 */
import { agentLanes } from './agent-lanes.ts';
import { bytes, durationWithin, integer } from './kinds.ts';
import { setting } from './setting.ts';

const hourMs = 3_600_000;
const turns = integer({ min: 1, max: 100_000 });
const wait = durationWithin({ min: 1_000, max: 7 * 24 * hourMs });

export const queueSettings = {
  'queue.agent.active': setting(turns, {
    usual: 5,
    summary: '`serve`: how many turns of one agent run at once',
  }),
  'queue.agent.waiting': setting(turns, {
    usual: 20,
    summary: '`serve`: how many turns of one agent may wait',
  }),
  'queue.agent.wait': setting(wait, {
    usual: 600_000,
    summary: '`serve`: how long a turn may wait for room; the shortest of its three lanes counts',
  }),
  'queue.agents': setting(agentLanes, {
    usual: {},
    summary:
      '`serve`: by the name of an agent, `active`, `waiting` and `wait` of its lane, instead of those of `queue.agent`',
  }),
  'queue.account.active': setting(turns, {
    usual: 10,
    summary: '`serve`: how many turns of one account run at once',
  }),
  'queue.account.waiting': setting(turns, {
    usual: 100,
    summary: '`serve`: how many turns of one account may wait',
  }),
  'queue.account.wait': setting(wait, {
    usual: 1_800_000,
    summary: '`serve`: how long a turn may wait, whatever its agent’s lane says',
  }),
  'queue.gateway.active': setting(turns, {
    usual: 20,
    summary: '`serve`: how many turns run at once here; an agent takes some 300 MB',
  }),
  'queue.gateway.waiting': setting(turns, {
    usual: 500,
    summary: '`serve`: how many turns may wait in all',
  }),
  'queue.gateway.wait': setting(wait, {
    usual: 1_800_000,
    summary: '`serve`: how long a turn may wait, whatever its other lanes say',
  }),
  'queue.memoryFloor': setting(bytes, {
    usual: 512 * 1024 * 1024,
    summary:
      '`serve`: with less memory available than this, no agent is started for a turn while others run; 0: memory is no reason to wait',
  }),
} as const;
