/*
 * `clf inbox` against a real gateway: what it lists, what it says to type, and that what was shown at a terminal is out of it.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import {
  elicit,
  endTurn,
  expectInitialize,
  expectNew,
  onPrompt,
  respondError,
  say,
  sayAnswer,
  script,
} from '@clawdfather/testkit';
import { createAgentRig } from '../support/agent-rig.ts';

const options = {
  timeout: 120_000,
  skip: existsSync('/usr/bin/script') ? false : 'script is not installed',
};

test(
  'what was shown at a terminal is out of the inbox; what went into a pipe is not',
  options,
  async (t) => {
    const rig = await createAgentRig(
      t,
      script([
        expectInitialize(),
        expectNew(),
        onPrompt([say('half'), respondError(-32000, 'no money left')]),
        onPrompt([say('one'), endTurn()]),
        onPrompt([say('two'), endTurn()]),
        onPrompt([elicit('which branch?', { as: 'q' }), sayAnswer('q'), endTurn()]),
      ]),
    );
    const inbox = async () => (await rig.clf('inbox')).stdout;
    assert.equal((await rig.clf('ask', 'pay')).code, 1);
    const [, item = ''] = (await rig.clf('inbox', '--json')).stdout.split('\n');
    const { threadId, next } = cliShapes['inbox-item'].parse(JSON.parse(item));
    const id = threadId?.slice(0, 12) ?? '';
    assert.equal(next, `clf threads show ${id}`);
    assert.match(await inbox(), /^failed {2}pay \(.*\)\n {8}fake, .*\n\n1 needs you\. No thread/);
    await rig.clf('threads', 'show', id);
    assert.match(await inbox(), /^failed {2}pay/);
    assert.equal((await rig.atTerminal('threads', 'show', id).result).code, 0);
    assert.equal(await inbox(), 'Nothing needs you. No thread is working.\n');

    assert.equal((await rig.clf('say', id, 'again')).code, 0);
    assert.match(
      await inbox(),
      /^done {2}pay\n[^]*\nNothing needs you, 1 done and not looked at\./,
    );
    assert.equal((await rig.atTerminal('say', id, 'once more').result).code, 0);
    assert.equal(await inbox(), 'Nothing needs you. No thread is working.\n');

    const asked = rig.atTerminal('say', id, 'merge');
    await asked.saw('clf: Value\r\n');
    assert.match(
      await inbox(),
      new RegExp(`^question {2}which branch\\?\n {10}fake, .* clf threads follow ${id}\n`),
    );
    asked.child.stdin?.write('main\n');
    assert.equal((await asked.result).code, 0, asked.stdout());
  },
);
