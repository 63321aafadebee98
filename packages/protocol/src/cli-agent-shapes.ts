/*
 * What the commands about agents and the conversations with them print with --json. Part of cli-shapes.ts, and under the same promise.
 */
import { z } from 'zod';

const instant = z.iso.datetime();
const count = z.int();
const threadId = z.string().describe('the thread’s id');
const turnId = z.string().describe('the turn’s id');
const ofTurn = z.string().nullable().describe('of the turn; null: between turns');
const facts = z.record(z.string(), z.unknown());

const testOutcome = z
  .enum(['works', 'not-startable', 'not-signed-in', 'exited', 'no-acp', 'too-slow', 'refused'])
  .describe('what came of trying it');

const resultCode = z
  .string()
  .describe('`success`, `aborted`, `error`, or a code of older clients for what happened');

const threadFields = {
  id: threadId,
  title: z.string().describe('the beginning of what was first said, unless it was given one'),
  agent: z.string(),
  status: z.enum(['ready', 'queued', 'running', 'archived']),
  connectionId: z.string().nullable().describe('of the SSH host; null: the gateway’s own machine'),
  directory: z.string(),
  sessionId: z.string().nullable(),
  lastSeq: count.describe('the number of its newest event'),
  lastTurnId: z.string().nullable().describe('the turn that ended last'),
  lastResult: z.string().nullable().describe('its code'),
  chosen: z.record(z.string(), z.string()).describe('what you want of its agent, by choice'),
  currentChoices: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        category: z.string().nullable(),
        value: z.string(),
        valueName: z.string().describe('for people'),
      }),
    )
    .describe('how its agent stands, as it last said'),
  createdAt: instant,
  updatedAt: instant,
};

const queuedTurn = z.object({
  turnId: z.string(),
  threadId: z.string().describe('the thread’s id'),
  agent: z.string(),
  position: count.nullable().describe('from 1, among your own; null: it does not wait any more'),
  ahead: count.nullable(),
  priority: z.int(),
  queuedAt: instant,
  notBefore: instant.nullable(),
  reason: z
    .object({
      code: z.string().describe('the codes are in queue.md'),
      message: z.string().describe('for people'),
    })
    .nullable(),
});

export const agentShapes = {
  asked: z.object({ type: z.literal('asked'), threadId, turnId, agent: z.string() }),
  'thread-event': z.object({
    type: z.enum([
      'status',
      'delta',
      'message',
      'tool',
      'plan',
      'usage',
      'approval',
      'question',
      'artifact',
      'noise',
    ]),
    seq: count.describe('its number in the thread, from 1'),
    turnId: ofTurn,
    at: instant,
    payload: facts.describe('as the agent sent it, for the most part'),
  }),
  'turn-result': z.object({
    type: z.literal('result'),
    threadId,
    turnId,
    status: z.enum(['completed', 'failed', 'cancelled', 'interrupted']),
    code: resultCode.nullable(),
    stopReason: z.string().nullable().describe('why the agent stopped, in its own word'),
    message: z.string().nullable().describe('for people'),
    cause: z
      .string()
      .nullable()
      .describe('why its agent ended, where that ended it, or why nothing was sent to it'),
    text: z.string().describe('what the agent said, as it would have been on stdout'),
    usage: facts.nullable().describe('as the agent counted it'),
    exitCode: count.describe('of `clf ask`, unless Ctrl-C ended it'),
  }),
  'turn-artifacts': z.object({
    turnId,
    artifacts: z.array(
      z.object({
        id: z.string(),
        relativePath: z.string().describe('below the directory of the thread'),
        contentType: z.string(),
        sizeBytes: count,
        sha256: z.string(),
        news: z.enum(['new', 'changed', 'unchanged']).describe('since the turn before'),
        modifiedAt: instant,
        downloadUrl: z.string().nullable().describe('good for a day; null: its bytes are gone'),
      }),
    ),
    artifactSync: z.object({
      status: z.enum(['no-artifacts', 'syncing', 'synced', 'partial', 'failed']),
      missing: z.array(
        z.object({ path: z.string(), reason: z.string().describe('a word of artifacts.md') }),
      ),
      missingCount: count.describe('of all; `missing` has the first of them'),
    }),
  }),
  'saved-artifact': z.object({
    relativePath: z.string(),
    sizeBytes: count,
    sha256: z.string().describe('it was checked'),
    savedAs: z.string(),
  }),
  'verified-thread': z.object({
    threadId,
    through: count.describe('the last event that was looked at'),
    newestSeq: count.describe('the last event that there was'),
    isComplete: z.boolean(),
    events: count,
    checksum: z.string().describe('of all of them, as threads.md says'),
    missing: z
      .array(z.object({ from: count, to: count }))
      .describe('numbers that are not in the database'),
    runs: z.array(
      z.object({
        runId: z.string(),
        outcome: z.enum(['same', 'differs', 'not-comparable']),
        reason: z.string().nullable().describe('why not, a word of threads.md'),
        compared: count.describe('texts and updates'),
        difference: z
          .object({
            kind: z.enum(['text', 'content', 'tool', 'plan', 'update', 'ask']),
            what: z.enum(['changed', 'missing', 'added', 'end-unfit']),
            seq: count.describe('the first event where they part'),
            lastSeq: count,
            storedSha256: z.string().nullable(),
            journalSha256: z.string().nullable(),
          })
          .nullable()
          .describe('the first one'),
      }),
    ),
  }),
  thread: z.object(threadFields),
  conversation: z.object({
    ...threadFields,
    turns: z.array(
      z.object({
        id: turnId,
        status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted']),
        runId: z.string().nullable().describe('the run of its agent'),
        queuedAt: instant,
        startedAt: instant.nullable(),
        deadlineAt: instant.nullable(),
        endedAt: instant.nullable(),
        cancelAskedAt: instant.nullable(),
        result: z
          .object({
            code: resultCode,
            stopReason: z.string().nullable(),
            message: z.string().nullable(),
            cause: z.string().nullable(),
          })
          .nullable(),
        usage: facts.nullable(),
      }),
    ),
    messages: z.array(
      z.object({
        seq: count.describe('of its first event'),
        turnId: ofTurn,
        role: z.enum(['agent', 'thought', 'user']),
        text: z.string().describe('all of it'),
        at: instant,
        isWhole: z.boolean().describe('false: it is still being written'),
      }),
    ),
    tools: z.array(
      z.object({
        seq: count,
        turnId: ofTurn,
        id: z.string().describe('the agent’s own'),
        title: z.string(),
        status: z.string().nullable().describe('`pending`, `in_progress`, `completed`, `failed`'),
        at: instant,
      }),
    ),
  }),
  'cancelled-turns': z.object({
    threadId,
    cancelled: z.array(z.string()).describe('the turns that the agent was asked to stop'),
  }),
  queue: z.object({
    lanes: z.array(
      z.object({
        lane: z.enum(['agent', 'account', 'gateway']),
        agent: z.string().nullable().describe('whose lane it is, of that kind'),
        active: count.describe('turns that run'),
        activeMax: count,
        waiting: count.describe('turns that wait, also of others'),
        waitingMax: count,
        waitMsMax: count.describe('how long a turn may wait for room'),
        oldestQueuedAt: instant.nullable(),
      }),
    ),
    waiting: z.array(queuedTurn).describe('each a queued-turn; your own, in order'),
    total: count.describe('how many of yours wait in all'),
  }),
  'queued-turn': queuedTurn,
  agent: z.object({
    name: z.string(),
    title: z.string(),
    source: z.enum(['settings', 'built-in']),
    isInstalled: z.boolean(),
    version: z.string().nullable(),
    isDefault: z.boolean().describe('it is asked where none is named'),
    isSignedIn: z.boolean().nullable().describe('null: not known of this agent'),
    lastTest: z
      .object({ outcome: testOutcome, at: instant })
      .nullable()
      .describe('of what would be started now'),
  }),
  choice: z.object({
    id: z.string(),
    name: z.string(),
    category: z.string().nullable().describe('`mode`, `model`, or a word of the agent'),
    description: z.string().nullable(),
    values: z.array(
      z.object({
        value: z.string(),
        name: z.string().describe('for people'),
        description: z.string().nullable(),
      }),
    ),
    moreValues: count.describe('so many more are offered, and not told'),
    current: z.string().nullable().describe('in the session that told it'),
  }),
  'installed-agent': z.object({
    name: z.string(),
    version: z.string(),
    isNew: z.boolean().describe('false: it was there already'),
  }),
  'tested-agent': z.object({
    name: z.string(),
    outcome: testOutcome,
    version: z.string().nullable().describe('null: a command of the settings'),
    isSignedIn: z.boolean().nullable().describe('null: not known of this agent'),
    directory: z.string(),
    shield: z.string().nullable().describe('how much of one; null: none'),
    startMs: count.nullable(),
    steps: z
      .array(
        z.object({
          name: z.enum(['initialize', 'authenticate', 'session', 'prompt']),
          ms: count,
        }),
      )
      .describe('those that worked'),
    failedAt: z.string().nullable().describe('the step that did not'),
    message: z.string().nullable().describe('for people'),
    advice: z.string().nullable().describe('what to do'),
    protocolVersion: count.nullable(),
    capabilities: facts.nullable(),
    signInWays: z.array(facts).describe('as the agent tells them'),
    lastLines: z.array(z.string()).describe('what it wrote beside the protocol'),
    answer: z.string().nullable().describe('to the prompt'),
  }),
  'agent-login': z.object({
    name: z.string(),
    runId: z.string().describe('of its sign-in, for `clf attach`'),
  }),
  'removed-agent': z.object({
    name: z.string(),
    isRemoved: z.boolean().describe('false: it was not installed'),
  }),
  'drill-receipt': z.object({
    type: z.literal('turn'),
    isProven: z.boolean().describe('nothing was lost, and nothing came twice'),
    problems: z.array(z.string()).describe('what was not as it has to be, for people'),
    bytes: count.describe('of the agent’s answer'),
    sha256: z.string().describe('of the answer, as it has to be'),
    bytesBeforeKill: count.describe('of the answer that were shown before the gateway was killed'),
    events: count.describe('of the thread'),
    agentPid: count,
    gatewayPids: z.array(count).describe('the one that was killed, and the next'),
    generations: z.array(count).describe('of the owner of the agent’s run, before and after'),
    withoutGatewayMs: count.describe('from the kill until the next one listened'),
  }),
  ask: z.object({
    type: z.literal('ask'),
    id: z.string(),
    threadId,
    turnId: ofTurn,
    agent: z.string(),
    class: z
      .enum(['permission', 'question', 'effect'])
      .describe(
        'a permission is answered by an option, a question by a form; `effect`: a file or a command on its host, by an option',
      ),
    state: z
      .enum(['open', 'acting', 'answered', 'withdrawn', 'void'])
      .describe('`acting`: it was allowed, and is being done'),
    title: z.string(),
    options: z.array(
      z.object({
        id: z.string().describe('for `--option`'),
        name: z.string(),
        kind: z.string().describe('`allow_once`, `allow_always`, `reject_once`, …'),
      }),
    ),
    params: facts.describe('as the agent sent it'),
    digest: z.string().describe('SHA-256 of what is asked'),
    askedAt: instant,
    decidedBy: z.string().nullable(),
    decidedAt: instant.nullable(),
    answerKind: z
      .string()
      .nullable()
      .describe(
        'the kind of the option that was chosen; of a question `accept`, `decline` or `cancel`; null: not answered',
      ),
  }),
};
