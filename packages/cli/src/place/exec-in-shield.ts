/*
 * `clf exec` inside of a shield: the command is asked for at the tool server, which is outside, over the one socket that was let in. So
 * it starts there, under the policy for agents, and a person may have to allow it.
 *
 * One request over the protocol's newest revision, which needs no handshake; the answer is the tool's own result. Giving up closes
 * the connection's call, and the server ends the command.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { CodedError } from '@clawdfather/kit';
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import { CliError } from '../errors.ts';
import type { ExecCall, Executor } from './executor.ts';

const revision = '2026-07-28';
const callId = 1;
/* A result has at most 16,000 characters of output, quoted. */
const answerCharactersMax = 4 * 1024 * 1024;

export async function withExecutorInShield<Result>(
  socketPath: string,
  use: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect').catch((error: unknown) => {
      throw unreachable(error);
    });
    // Whoever reads or writes hears of it.
    socket.on('error', () => {});
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    return await use({
      flag: '',
      exec: (params, call) => exec(socket, params, call),
      leave: () => void socket.destroy(new CodedError('tools-closed', 'this command was left')),
      ended: () => closed,
    });
  } finally {
    socket.destroy();
  }
}

async function exec(socket: Socket, params: ExecParams, call: ExecCall): Promise<ExecResult> {
  const giveUp = (): void => {
    // The server hears of it, ends the command, and closes when we do.
    socket.write(lineOf({ method: 'notifications/cancelled', params: { requestId: callId } }));
    socket.end();
  };
  call.signal.addEventListener('abort', giveUp, { once: true });
  try {
    socket.write(lineOf({ id: callId, method: 'tools/call', params: requestOf(params) }));
    const result = await answerOf(socket);
    if ('output' in result && result.output !== '') call.onOutput?.(result.output);
    return result;
  } finally {
    call.signal.removeEventListener('abort', giveUp);
  }
}

function requestOf(params: ExecParams) {
  return {
    name: 'exec',
    arguments: params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'clf-exec', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly message?: string };
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: ExecResult;
    readonly content?: readonly { readonly text?: string }[];
  };
}

async function answerOf(socket: Socket): Promise<ExecResult> {
  let held = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) {
    held += chunk as string;
    const lines = held.split('\n');
    held = lines.pop() ?? '';
    const answer = lines.map(parseAnswer).find((one) => one?.id === callId);
    if (answer !== undefined) return resultOf(answer);
    if (held.length > answerCharactersMax) break;
  }
  throw unreachable(undefined);
}

function parseAnswer(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}

function resultOf({ error, result }: Answer): ExecResult {
  const { structuredContent, content = [], isError } = result ?? {};
  if (structuredContent !== undefined && isError !== true) return structuredContent;
  const why = error?.message ?? content.map(({ text = '' }) => text).join('\n');
  throw new CliError('tools-refused', why === '' ? 'the tool server gave no reason' : why);
}

function unreachable(cause: unknown): CliError {
  return new CliError(
    'tools-unreachable',
    'the tool server outside of the shield does not answer',
    {
      hint: 'It is started again by "clf run" or the gateway that started this run; try again.',
      cause,
    },
  );
}
