/*
 * An agent that offers modes and models, and what is looked at in threads with it.
 */
import assert from 'node:assert/strict';
import {
  endTurn,
  expectInitialize,
  expectMethod,
  expectNew,
  onPrompt,
  respond,
  say,
  type Steps,
} from '@clawdfather/testkit';
import type { Threads } from '@clawdfather/threads';
import { anAccount } from './memory-records.ts';
import type { ThreadsRig } from './threads-rig.ts';

export const by = { actor: 'device:1' };
export const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan' },
    { id: 'code', name: 'Code' },
  ],
};

export function optionsWith(currentValue: string) {
  const options = [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ];
  return [{ id: 'llm', name: 'Model', category: 'model', type: 'select', currentValue, options }];
}

export function setMode(modeId: string, ...answer: readonly Steps[]): readonly Steps[] {
  const params = { sessionId: 'session-1', modeId };
  return [expectMethod('session/set_mode', { params }), ...answer];
}

export const setLarge = [
  expectMethod('session/set_config_option', { params: { configId: 'llm', value: 'large' } }),
  respond({ configOptions: optionsWith('large') }),
];

export const begin = [
  expectInitialize(),
  expectNew({ modes, configOptions: optionsWith('small') }),
];
export const turn = onPrompt([say('done'), endTurn()]);

export async function threadWith(
  rig: ThreadsRig,
  threads: Threads,
  chosen: Record<string, string>,
) {
  const given = { agent: 'fake', cwd: rig.dir, title: 'a talk', chosen };
  return (await threads.create(anAccount, given, by)).id;
}

export async function saidAll(rig: ThreadsRig, threads: Threads, id: string): Promise<void> {
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.database.threads.get(id)?.turns.get(turnId)?.status, 'completed');
}

/* Nothing was sent to the agent, and why. */
export async function failedAll(rig: ThreadsRig, threads: Threads, id: string): Promise<string> {
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  return failureOf(rig, id, turnId);
}

export function failureOf(rig: ThreadsRig, id: string, turnId: string): string {
  const { status, promptCall, result } = rig.database.threads.get(id)?.turns.get(turnId) ?? {};
  assert.deepEqual([status, promptCall, result?.cause], ['failed', undefined, 'choice-not-set']);
  return result?.message ?? '';
}

export function currentOf(rig: ThreadsRig, id: string): Record<string, string> {
  const { currentChoices = [] } = rig.database.threads.get(id)?.thread ?? {};
  return Object.fromEntries(currentChoices.map((choice) => [choice.id, choice.value]));
}

export function chosenOf(rig: ThreadsRig, id: string) {
  return rig.database.threads.get(id)?.thread.chosen;
}

export function messageOf(rig: ThreadsRig, id: string, event: string): unknown {
  return rig.status(id, event)?.payload['message'];
}
