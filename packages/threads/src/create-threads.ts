/*
 * Conversations with agents, for whoever joins a gateway: ask, answer, and the queue behind it. Agents are started, stopped and ended by
 * the controller alone (agent-controller.ts).
 *
 * Every call is one change of the rows, made through the thread's actor where this process has one; carrying it out is the actor's.
 * What may run, and in which order, is in queue/ (X1).
 */
import {
  type AskAnswer,
  answerAsk,
  answerAudit,
  type ArtifactsFound,
  type DueThreads,
  enqueueTurn,
  finishArtifacts,
  type JsonObject,
  keyAfter,
  type LoadClass,
  type NewThread,
  silenceMsMax,
  type QueueRecords,
  type ThreadName,
  type ThreadRecords,
  type ThreadRow,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import type { AccountId, Clock, Log, Random } from '@clawdfather/kit';
import type { RunRecord } from '@clawdfather/supervisor';
import { type Actors, createActors } from './actors.ts';
import { type AgentController, createAgentController } from './agent-controller.ts';
import { choiceAudit, type Choose, chooseInThread } from './choose-values.ts';
import { ThreadsError } from './errors.ts';
import type { EventDesk } from './event-desk.ts';
import { createLostGateways } from './lost-gateways.ts';
import type { ThreadsObserver } from './observer.ts';
import type { AgentSessions, AgentStarter, AgentSupervisor, CrashPoint } from './ports.ts';
import { createQueueDesk } from './queue/queue-desk.ts';
import { createQueueEdits, type QueueEdits } from './queue/queue-edits.ts';
import { type QueueLimits, waitingMax } from './queue/queue-limits.ts';
import type { QueueDesk } from './queue/queue-view.ts';

export interface ThreadsDeps {
  readonly recordsOf: (accountId: AccountId) => ThreadRecords;
  readonly due: DueThreads;
  readonly queue: QueueRecords;
  readonly desk: EventDesk;
  readonly supervisor: AgentSupervisor;
  /* Of a run that is not ours: takes it over if its owner is gone. Waits for nothing. */
  readonly lookAfter: (record: RunRecord) => void;
  readonly starter: AgentStarter;
  readonly observer: ThreadsObserver;
  /* Absent: agents belong to none. */
  readonly sessions?: AgentSessions | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /* How long a host or another gateway may be silent; absent: `silenceMsMax`. */
  readonly silenceMs?: number | undefined;
  /* How many turns run and wait, in each lane. */
  readonly limits: QueueLimits;
  /* Memory of this machine that new agents could have; undefined: it cannot be read. */
  readonly availableBytes: () => Promise<number | undefined>;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
}

/* Who asks for something, and from where: it is in the audit log. */
export interface Asker {
  readonly actor: string;
  readonly ip?: string;
  readonly traceId?: string;
}

export interface Prompt {
  readonly blocks: readonly JsonObject[];
  readonly loadClass: LoadClass;
  /* Where files are expected; absent: the usual places (TurnRow). */
  readonly artifactDirs?: readonly string[] | undefined;
  readonly by: Asker;
  /* The same message twice is one turn. */
  readonly clientMessageId?: string | undefined;
  /* Of what is asked under that id: another one is refused. Absent: whatever it is, it is the same message. */
  readonly messageHash?: string | undefined;
  /* Its place in the traces (TurnRow). */
  readonly trace?: string | undefined;
  /* The thread that is told when it has ended. */
  readonly wakeId?: string | undefined;
  /* Before those of a lower one, within the account; absent: 0. */
  readonly priority?: number | undefined;
  readonly notBeforeMs?: number | undefined;
  /* For the thread, with the message: where that is refused, or was sent before, nothing is chosen. */
  readonly chosen?: Choose['chosen'] | undefined;
}

export interface Threads extends AsyncDisposable {
  create(
    accountId: AccountId,
    thread: Omit<NewThread, 'instanceId'>,
    by: Asker,
  ): Promise<ThreadRow>;
  /* Throws `thread-not-found`, `thread-archived`, `queue-full`, `message-reused`. */
  prompt(name: ThreadName, prompt: Prompt): Promise<{ readonly turnId: string }>;
  /* Throws `ask-not-found`, `ask-decided`, `option-not-offered`, `answer-unfit`. */
  answer(accountId: AccountId, askId: string, reply: AskedReply): Promise<void>;
  /* Throws `thread-not-found`. */
  choose(name: ThreadName, choose: Choose): Promise<void>;
  /* What was looked for at the end of a turn. False: it was stored before (AR2). */
  keepArtifacts(name: ThreadName, found: ArtifactsFound): Promise<boolean>;
  readonly agents: AgentController;
  /* What waits, where, and why; and changes of it. */
  readonly queue: QueueDesk & QueueEdits;
  /* The sessions of agents that answer here just now. */
  withTurns(): readonly ThreadName[];
  /* The turn that runs, as far as this process has heard of it. */
  runningTurn(name: ThreadName): TurnRow | undefined;
  /* Gives up turns of gateways that are silent for too long; to be called every minute (lost-gateways.ts). */
  giveUpLost(): Promise<void>;
  /* Takes up what earlier owners have left: agents of this machine, and turns that wait. */
  takeUp(): Promise<void>;
  close(): Promise<void>;
}

export interface AskedReply {
  readonly answer: AskAnswer;
  readonly by: Asker;
}

export function createThreads(deps: ThreadsDeps): Threads {
  const actors = createActors(deps);
  const { admission } = actors;
  const { instanceId } = deps.supervisor;
  const agents = createAgentController(deps, actors);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await admission.close();
    await actors.close();
  };
  return {
    create: async (accountId, thread, by) => {
      const { agent, cwd, connectionId } = thread;
      const host = connectionId === undefined ? {} : { connection: connectionId };
      const detail = { agent, directory: cwd, ...host };
      const audit = { action: 'thread.create', ...by, detail } as const;
      return (await deps.recordsOf(accountId).create({ ...thread, instanceId }, audit)).thread;
    },
    prompt: (name, prompt) => sendPrompt(deps, actors, { name, prompt }),
    answer: (accountId, askId, reply) => answerOne(deps, actors, { accountId, askId, ...reply }),
    choose: (name, choose) => chooseInThread(deps, actors, { name, ...choose }),
    keepArtifacts: async (name, found) => {
      const rows = await actors.of(name).rows.change((now) => {
        const change = finishArtifacts(now, found, deps.clock.wallMs());
        return change && { change };
      });
      return rows !== undefined;
    },
    agents,
    queue: { ...createQueueDesk({ ...deps, instanceId }), ...createQueueEdits(deps, actors) },
    withTurns: () => actors.withTurns(),
    runningTurn: (name) => actors.known(name)?.turn,
    giveUpLost: createLostGateways({
      ...deps,
      actors,
      instanceId: deps.supervisor.instanceId,
      silenceMs: deps.silenceMs ?? silenceMsMax,
    }),
    takeUp: async () => {
      await agents.reapStartupOrphans();
      for (const name of await deps.due.withTurns()) actors.of(name).kick();
      admission.look();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function sendPrompt(
  { recordsOf, random, clock, queue, limits }: ThreadsDeps,
  actors: Actors,
  { name, prompt }: { readonly name: ThreadName; readonly prompt: Prompt },
): Promise<{ turnId: string }> {
  const { blocks, clientMessageId, by, chosen, ...asked } = prompt;
  const sent =
    clientMessageId && (await recordsOf(name.accountId).turnOfMessage(name.id, clientMessageId));
  if (sent) return sameMessage(sent, prompt);
  const id = random.id();
  const queueKey = keyAfter((await queue.lastKey(name.accountId)) ?? 0);
  const choosing = chosen && { chosen, actor: by.actor };
  const requester = by.actor;
  const turn = { id, prompt: blocks, clientMessageId, requester, queueKey, choosing, ...asked };
  const audit = { action: 'turn.prompt', ...by, target: id, detail: { thread: name.id } } as const;
  let other: TurnRow | undefined;
  await actors.of(name).rows.change((now) => {
    if (now.thread.status === 'archived') throw archived(name.id);
    // The same message may have come twice at the same moment.
    other = clientMessageId === undefined ? undefined : turnIn(now, clientMessageId);
    if (other !== undefined) return undefined;
    const claim = { kind: 'enqueue', below: waitingMax(limits, now.thread.agent) } as const;
    const change = { ...enqueueTurn(now, turn, clock.wallMs()), claim };
    const isChosen = change.rows.thread.chosen !== now.thread.chosen;
    const choice = isChosen && chosen ? [choiceAudit({ name, chosen, by })] : [];
    return { change, audits: [...choice, audit] };
  });
  actors.admission.look();
  return other === undefined ? { turnId: id } : sameMessage(other, prompt);
}

/* The turn that the message is already. */
function sameMessage(
  turn: Pick<TurnRow, 'id' | 'messageHash'>,
  { clientMessageId, messageHash }: Prompt,
): { turnId: string } {
  const { id: turnId, messageHash: before } = turn;
  const isOther = before !== undefined && messageHash !== undefined && before !== messageHash;
  if (!isOther) return { turnId };
  const message = `something else was said with the message id ${clientMessageId}`;
  throw new ThreadsError('message-reused', message, {
    detail: { turnId },
    hint: 'Take a new id for every message, and the same one only to send that message again.',
  });
}

function turnIn({ turn, queue }: ThreadRows, clientMessageId: string): TurnRow | undefined {
  const turns = turn === undefined ? queue : [turn, ...queue];
  return turns.find((one) => one.clientMessageId === clientMessageId);
}

async function answerOne(
  { recordsOf, clock }: ThreadsDeps,
  actors: Actors,
  reply: AskedReply & { readonly accountId: AccountId; readonly askId: string },
): Promise<void> {
  const { accountId, askId, answer, by } = reply;
  const ask = await recordsOf(accountId).ask(askId);
  if (ask === undefined) throw refusalOf('ask-not-found', askId);
  const thread = actors.of({ accountId, id: ask.threadId });
  const audit = answerAudit({ ask, answer }, by);
  await thread.rows.change((now) => {
    const step = answerAsk(now, { askId, answer, actor: by.actor }, clock.wallMs());
    if (step.outcome === 'answered') return { ...step, audits: [audit] };
    // What is not among the open ones any more was decided.
    throw refusalOf(step.outcome === 'ask-not-found' ? 'ask-decided' : step.outcome, askId);
  });
  thread.kick();
}

function archived(threadId: string): ThreadsError {
  return new ThreadsError('thread-archived', `thread ${threadId} is archived`);
}

const refusalTexts = {
  'ask-not-found': 'nothing that an agent asks has this id',
  'ask-decided': 'this was answered already, or the agent does not wait for it any more',
  'option-not-offered': 'the agent did not offer this option',
  'answer-unfit': 'this kind of answer does not fit the question',
} as const;

function refusalOf(code: keyof typeof refusalTexts, askId: string): ThreadsError {
  return new ThreadsError(code, refusalTexts[code], { detail: { askId } });
}
