/*
 * How an agent is got ready to be prompted: initialize, sign in where it wants that, then resume, load or make its session.
 *
 * Each of its calls is stored together with the phase that waits for its answer, so nothing in it is sent twice (W8). Resuming comes
 * first, since it replays nothing; then loading, whose replay is dropped and counted; then a new session, and people are told
 * that the context is lost (W11).
 */
import type { AgentCapabilities, AgentRunRow } from '../rows.ts';
import { isObject, type Json, type JsonObject, type RpcError } from '../wire/json-rpc.ts';
import type { Draft } from './draft.ts';
import { openChoices } from './kept-choices.ts';
import type { OnceSetup } from './once.ts';

/* What an agent is told about us and its surroundings; the same for every process of a thread. */
export interface AgentSetup {
  readonly clientVersion: string;
  readonly mcpServers: readonly JsonObject[];
  /* Files and terminals of its host are served (W14). */
  readonly servesHost?: boolean;
  /* An agent that spoils what it loads is given a new session instead. */
  readonly neverLoad?: boolean;
  /* How it signs in with the key that it was given, where it wants to be told so. */
  readonly authenticateBy?: string | undefined;
  /* It speaks no protocol, and is run once per turn: of all the above nothing is told to it. */
  readonly once?: OnceSetup | undefined;
}

/* The error of an agent that wants somebody to sign in. */
export const authRequired = -32000;

export function initialize(draft: Draft, setup: AgentSetup): void {
  const { clientVersion, servesHost = false } = setup;
  draft.call('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'clawdfather', title: 'Clawdfather', version: clientVersion },
    // W14: here its own tools work inside its own supervised tree, so it needs none of ours for files and terminals.
    clientCapabilities: {
      fs: { readTextFile: servesHost, writeTextFile: servesHost },
      terminal: servesHost,
      session: { notices: {}, compaction: {} },
      auth: { terminal: true },
      elicitation: { form: {} },
    },
  });
  draft.changeRun({ phase: 'initializing' });
}

/* The answer to one of the handshake's calls. */
export function handshakeAnswered(draft: Draft, setup: AgentSetup, result: Json): void {
  const { phase } = draft.changeRun({});
  const answer = isObject(result) ? result : {};
  switch (phase) {
    case 'initializing': {
      draft.changeRun({ capabilities: parseCapabilities(answer) });
      if (setup.authenticateBy === undefined) openSession(draft, setup, 'resuming');
      else authenticate(draft, setup.authenticateBy);
      return;
    }
    case 'authenticating':
      openSession(draft, setup, 'resuming');
      return;
    case 'creating': {
      const { sessionId } = answer;
      if (typeof sessionId !== 'string' || sessionId === '') {
        fail(draft, 'the agent made a session without an id');
        return;
      }
      draft.thread = { ...draft.thread, nativeSessionId: sessionId };
      draft.changeRun({ phase: 'ready' });
      openChoices(draft, answer, { isNew: true });
      return;
    }
    case 'loading': {
      const { replayedCount } = draft.changeRun({ phase: 'ready' });
      openChoices(draft, answer, { isNew: false });
      draft.event('status', { event: 'resumed', replayed: replayedCount });
      return;
    }
    case 'resuming':
      draft.changeRun({ phase: 'ready' });
      openChoices(draft, answer, { isNew: false });
      draft.event('status', { event: 'resumed' });
      return;
    default:
      return;
  }
}

export function handshakeRefused(draft: Draft, setup: AgentSetup, error: RpcError): void {
  const { phase } = draft.changeRun({});
  if (error.code === authRequired) {
    const { agent } = draft.thread;
    fail(draft, `the agent is not signed in: ${error.message} (clf agents login ${agent})`);
    return;
  }
  if (phase === 'resuming') openSession(draft, setup, 'loading');
  else if (phase === 'loading') openSession(draft, setup, 'creating');
  else fail(draft, `the agent refused to start: ${error.message}`);
}

function authenticate(draft: Draft, methodId: string): void {
  draft.call('authenticate', { methodId });
  draft.changeRun({ phase: 'authenticating' });
}

type Way = Extract<AgentRunRow['phase'], 'resuming' | 'loading' | 'creating'>;

/* By the first way from this one on that the agent knows. */
function openSession(draft: Draft, setup: AgentSetup, first: Way): void {
  const { nativeSessionId, cwd } = draft.thread;
  const { capabilities } = draft.changeRun({});
  const place = { cwd, mcpServers: setup.mcpServers };
  const isKnown = nativeSessionId !== undefined;
  if (isKnown && first === 'resuming' && capabilities?.canResume === true) {
    draft.call('session/resume', { sessionId: nativeSessionId, ...place });
    draft.changeRun({ phase: 'resuming' });
    return;
  }
  const mayLoad = capabilities?.canLoad === true && setup.neverLoad !== true;
  if (isKnown && first !== 'creating' && mayLoad) {
    draft.call('session/load', { sessionId: nativeSessionId, ...place });
    draft.changeRun({ phase: 'loading', replayedCount: 0 });
    return;
  }
  if (isKnown) {
    draft.event('status', {
      event: 'context-lost',
      message:
        'The agent does not know this conversation any more; it starts without what was said before.',
    });
  }
  draft.call('session/new', place);
  draft.changeRun({ phase: 'creating' });
}

function fail(draft: Draft, message: string): void {
  draft.changeRun({ phase: 'failed' });
  draft.turnEvent({ type: 'not-startable', message });
}

function parseCapabilities(answer: JsonObject): AgentCapabilities {
  const agent = objectAt(answer, 'agentCapabilities');
  const session = objectAt(agent, 'sessionCapabilities');
  const { protocolVersion, authMethods } = answer;
  return {
    protocolVersion: typeof protocolVersion === 'number' ? protocolVersion : 1,
    canResume: isObject(session['resume']),
    canLoad: agent['loadSession'] === true,
    canClose: isObject(session['close']),
    canDelete: isObject(session['delete']),
    authMethods: Array.isArray(authMethods) ? authMethods.filter(isObject).map(shortMethod) : [],
    prompt: objectAt(agent, 'promptCapabilities'),
  };
}

/* Agents put whole pages into these. */
function shortMethod({ id, name, type }: JsonObject): JsonObject {
  return { id, name, type };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}
