/*
 * The protocol's own client understands all that the fake agent says, and the fake agent what the client says. It parses
 * each message with the schemas of ACP and drops what does not fit, so what arrives is counted.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import {
  client,
  ndJsonStream,
  type ClientContext,
  type NewSessionRequest,
  type PromptRequest,
} from '@agentclientprotocol/sdk';
import {
  askPermission,
  createTerminal,
  elicit,
  endTurn,
  expectInitialize,
  expectLoad,
  expectNew,
  expectResume,
  fakeAgentCommand,
  onPrompt,
  plan,
  readTextFile,
  replayUser,
  say,
  script,
  think,
  toolCall,
  toolCallUpdate,
  usage,
  writeScript,
  writeTextFile,
  type FakeAgentOptions,
} from '@clawdfather/testkit';
import { temporaryDirectory } from './drive-agent.ts';

const options = { timeout: 60_000 };
const selected = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

interface Heard {
  readonly context: ClientContext;
  readonly updates: string[];
  readonly asked: string[];
}

/* Plays the client until the job is done, then waits for the agent's end. */
async function withClient(
  t: TestContext,
  agent: FakeAgentOptions,
  job: (heard: Heard) => Promise<void>,
): Promise<void> {
  const [file, ...args] = fakeAgentCommand(agent);
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const updates: string[] = [];
  const asked: string[] = [];
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  await client()
    .onNotification(
      'session/update',
      ({ params }) => void updates.push(params.update.sessionUpdate),
    )
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params.toolCall.title ?? '');
      return selected;
    })
    .onRequest('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { value: 'me' } };
    })
    .onRequest('fs/read_text_file', ({ params }) => {
      asked.push(params.path);
      return { content: '' };
    })
    .onRequest('fs/write_text_file', ({ params }) => {
      asked.push(params.content);
      return {};
    })
    .onRequest('terminal/create', ({ params }) => {
      asked.push(params.command);
      return { terminalId: 'terminal-1' };
    })
    .connectWith(ndJsonStream(Writable.toWeb(child.stdin), input), async (context) => {
      const { protocolVersion } = await context.request('initialize', { protocolVersion: 1 });
      assert.equal(protocolVersion, 1);
      await job({ context, updates, asked });
    });
  child.stdin.end();
  assert.deepEqual(await closed, [0, null]);
}

const newSession: NewSessionRequest = { cwd: '/', mcpServers: [] };
const inSession = { sessionId: 'session-1' };

function prompt(text: string): PromptRequest {
  return { ...inSession, prompt: [{ type: 'text', text }] };
}

test(
  'it has a turn with the echoing agent, and loads it in another process',
  options,
  async (t) => {
    const sessions = join(temporaryDirectory(t), 'sessions');
    await withClient(t, { sessions }, async ({ context, updates, asked }) => {
      const { sessionId } = await context.request('session/new', newSession);
      assert.equal(sessionId, 'session-1');
      await context.request('session/set_mode', { ...inSession, modeId: 'code' });
      const text = 'ask: rm\nquestion: Who?\nthink: hm\nplan: a, b\ntool: ls\nsay 2 words';
      const { stopReason } = await context.request('session/prompt', prompt(text));
      assert.equal(stopReason, 'end_turn');
      assert.deepEqual(asked, ['rm', 'Who?']);
      assert.deepEqual(updates, [
        'current_mode_update',
        'tool_call',
        'agent_message_chunk',
        'tool_call_update',
        'agent_message_chunk',
        'agent_thought_chunk',
        'plan',
        'tool_call',
        'tool_call_update',
        'agent_message_chunk',
        'agent_message_chunk',
        'usage_update',
      ]);
      await context.request('session/close', inSession);
    });
    await withClient(t, { sessions }, async ({ context, updates }) => {
      const loaded = await context.request('session/load', { ...inSession, ...newSession });
      assert.equal(loaded.modes?.currentModeId, 'code');
      assert.deepEqual(updates, ['user_message_chunk', 'agent_message_chunk']);
      await context.request('session/resume', { ...inSession, ...newSession });
      await assert.rejects(context.request('session/nonsense', {}), { code: -32601 });
    });
  },
);

test('what the words of a script make is what the protocol says', options, async (t) => {
  const turn = [
    say('a'),
    think('b'),
    toolCall('t', 'ls'),
    toolCallUpdate('t', { status: 'completed' }),
    plan('c'),
    usage(1, 2),
    askPermission('ls'),
    elicit('Who?'),
    readTextFile('/x'),
    writeTextFile('/x', 'y'),
    createTerminal('top', ['-b']),
    endTurn(),
  ];
  const steps = [
    expectInitialize(),
    expectNew(),
    onPrompt(turn),
    expectLoad([replayUser('d')]),
    expectResume(),
  ];
  const file = writeScript(join(temporaryDirectory(t), 'script'), script(steps));
  await withClient(t, { script: file }, async ({ context, updates, asked }) => {
    await context.request('session/new', newSession);
    const { stopReason } = await context.request('session/prompt', prompt('x'));
    assert.equal(stopReason, 'end_turn');
    await context.request('session/load', { ...inSession, ...newSession });
    await context.request('session/resume', { ...inSession, ...newSession });
    assert.deepEqual(asked, ['ls', 'Who?', '/x', 'y', 'top']);
    assert.deepEqual(updates, [
      'agent_message_chunk',
      'agent_thought_chunk',
      'tool_call',
      'tool_call_update',
      'plan',
      'usage_update',
      'user_message_chunk',
    ]);
  });
});
