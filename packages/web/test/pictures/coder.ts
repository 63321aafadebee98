/*
 * An agent for pictures: a process that plays the turn of a coding agent, with a plan, tools, a change, a result and a question. Its messages
 * have the shapes that real agents were seen to send.
 */
import { join } from 'node:path';
import {
  askPermission,
  endTurn,
  expectInitialize,
  expectNew,
  fakeAgentCommand,
  onPrompt,
  say,
  script,
  type Steps,
  think,
  toolCall,
  toolCallUpdate,
  update,
  usage,
  writeScript,
} from '@clawdfather/testkit';

export function coderCommand(home: string): readonly string[] {
  const file = writeScript(
    join(home, 'coder.json'),
    script([expectInitialize(), expectNew(), onPrompt(firstTurn), onPrompt(secondTurn)]),
  );
  return fakeAgentCommand({ script: file });
}

const steps = ['Reproduce the failure', 'Find the cause', 'Fix it', 'Run the tests'];

function plan(done: number): Steps {
  const entries = steps.map((content, index) => ({
    content,
    priority: 'medium',
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }));
  return update({ sessionUpdate: 'plan', entries });
}

function tool(id: string, title: string, more: { kind: string; text: string }): Steps {
  const content = [{ type: 'content', content: { type: 'text', text: more.text } }];
  return [
    toolCall(id, title, { kind: more.kind, status: 'in_progress' }),
    toolCallUpdate(id, { status: 'completed', content }),
  ];
}

const firstTurn: readonly Steps[] = [
  think(
    'The log says that the worker exits while it still holds the lock. I should look at how it is closed.',
  ),
  plan(0),
  tool('t1', 'npm test -- queue', {
    kind: 'execute',
    text: '✖ a closed queue gives its lock back\n1 failing',
  }),
  tool('t2', 'Read src/queue/worker.ts', {
    kind: 'read',
    text: 'export async function close() { … }',
  }),
  tool('t3', 'Search "lock.release"', { kind: 'search', text: 'src/queue/worker.ts:41' }),
  plan(2),
  toolCall('t4', 'Edit src/queue/worker.ts', {
    kind: 'edit',
    status: 'completed',
    content: [
      {
        type: 'diff',
        path: 'src/queue/worker.ts',
        oldText: 'await drain();\nlock.release();\n',
        newText: 'try {\n  await drain();\n} finally {\n  lock.release();\n}\n',
      },
    ],
  }),
  plan(3),
  tool('t5', 'npm test', { kind: 'execute', text: '212 passing' }),
  plan(4),
  say(
    'The worker gave its lock back only after a **clean** drain. When a job failed, the lock stayed, and the next worker waited for it for ever.\n\n',
  ),
  say('What I changed in `src/queue/worker.ts`:\n\n'),
  say('```ts\ntry {\n  await drain();\n} finally {\n  lock.release();\n}\n```\n\n'),
  say('- all **212** tests pass, with the one that failed\n- nothing else uses `drain()`\n'),
  usage(48_200, 200_000),
  endTurn(),
];

const secondTurn: readonly Steps[] = [
  say('I push the branch now; this needs your word.\n'),
  askPermission('git push --force-with-lease origin fix/queue-lock', {
    as: 'push',
    toolCallId: 'p1',
  }),
  endTurn(),
];
