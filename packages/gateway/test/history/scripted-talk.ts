/*
 * A conversation with an agent that plays a script, at a gateway of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  expectInitialize,
  expectNew,
  fakeAgentCommand,
  script,
  type Steps,
  writeScript,
} from '@clawdfather/testkit';
import { createTalk } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

export async function openScriptedTalk(t: TestContext, steps: readonly Steps[]) {
  const directory = mkdtempSync(join(tmpdir(), 'clf-history-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = writeScript(
    join(directory, 'script'),
    script([expectInitialize(), expectNew(), ...steps]),
  );
  const command = fakeAgentCommand({ script: file, gates: directory });
  const rig = await openTestGateway({
    config: { agents: { named: [{ name: 'scripted', command }] } },
  });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin({ agent: 'scripted' });
  return {
    rig,
    me,
    talk,
    gates: directory,
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}
