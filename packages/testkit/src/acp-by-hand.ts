/*
 * A client that speaks ACP to one agent process by hand: for trying real agents, and for nothing that must survive.
 *
 * It answers permissions with the option that the test names by kind, and everything else that the agent asks with "unknown method".
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { deferred, type Deferred } from '@clawdfather/kit';

export interface AcpStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export type AcpMessage = Readonly<Record<string, unknown>>;

export interface AcpByHand extends AsyncDisposable {
  readonly pid: number;
  /** Rejects with the agent's error as a text, or when it ends. */
  call(method: string, params: object): Promise<AcpMessage>;
  notify(method: string, params: object): void;
  /** Everything that the agent sent, in order. */
  readonly received: readonly AcpMessage[];
  readonly stderr: readonly string[];
  /** The text of the agent's messages so far. */
  text(): string;
  /** allow_once unless told. */
  permissionKind: string;
}

export function startAcpByHand({ argv, env, cwd }: AcpStart): AcpByHand {
  const [program = '', ...args] = argv;
  // A group of its own: what an agent leaves behind is ended with it.
  const child = spawn(program, args, { env, cwd, detached: true, stdio: 'pipe' });
  const received: AcpMessage[] = [];
  const stderr: string[] = [];
  const calls = new Map<unknown, Deferred<AcpMessage>>();
  let nextId = 1;
  let closing: unknown;

  const write = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  child.stdin.on('error', () => {
    // It has ended, which its exit tells.
  });
  const byHand: AcpByHand = {
    pid: child.pid ?? 0,
    received,
    stderr,
    permissionKind: 'allow_once',
    notify: (method, params) => write({ method, params }),
    call: (method, params) => {
      const answer = deferred<AcpMessage>();
      if (closing !== undefined) return Promise.reject(new Error(`${method}: the agent has ended`));
      calls.set(nextId, answer);
      write({ id: nextId, method, params });
      nextId += 1;
      return answer.promise;
    },
    text: () => received.map(textOfUpdate).join(''),
    [Symbol.asyncDispose]: () => endGroup(child),
  };
  const answer = (message: AcpMessage): void => {
    const { id, method, params } = message;
    if (method === 'session/request_permission') {
      const options = (params as { options: { kind: string; optionId: string }[] }).options;
      const chosen = options.find(({ kind }) => kind === byHand.permissionKind);
      const outcome =
        chosen === undefined
          ? { outcome: 'cancelled' }
          : { outcome: 'selected', optionId: chosen.optionId };
      write({ id, result: { outcome } });
    } else {
      write({ id, error: { code: -32601, message: `unknown method ${String(method)}` } });
    }
  };
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parse(line);
    if (message === undefined) return;
    received.push(message);
    if ('method' in message) {
      if ('id' in message) answer(message);
      return;
    }
    const call = calls.get(message['id']);
    calls.delete(message['id']);
    if ('error' in message) call?.reject(new Error(JSON.stringify(message['error'])));
    else call?.resolve((message['result'] ?? {}) as AcpMessage);
  });
  const fail = (why: string): void => {
    closing = why;
    for (const call of calls.values()) call.reject(new Error(`${why}\n${stderr.join('\n')}`));
    calls.clear();
  };
  child.on('error', (error) => fail(error.message));
  child.on('close', (code, signal) => fail(`the agent has ended: ${code ?? signal}`));
  return byHand;
}

/** initialize, authenticate where it is wanted, session/new; returns the session's id. */
export async function openAcpSession(
  agent: AcpByHand,
  { cwd, authMethod }: { readonly cwd: string; readonly authMethod?: string | undefined },
): Promise<string> {
  await agent.call('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'by-hand', version: '1' },
  });
  if (authMethod !== undefined) await agent.call('authenticate', { methodId: authMethod });
  const { sessionId } = await agent.call('session/new', { cwd, mcpServers: [] });
  return String(sessionId);
}

export function promptAcp(agent: AcpByHand, sessionId: string, text: string): Promise<AcpMessage> {
  return agent.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

function textOfUpdate(message: AcpMessage): string {
  if (message['method'] !== 'session/update') return '';
  const { update } = message['params'] as {
    update: { sessionUpdate: string; content?: { text?: string } };
  };
  return update.sessionUpdate === 'agent_message_chunk' ? (update.content?.text ?? '') : '';
}

/* Agents print what is no message, too. */
function parse(line: string): AcpMessage | undefined {
  try {
    return JSON.parse(line) as AcpMessage;
  } catch {
    return undefined;
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  const ended =
    child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
  await ended;
}
