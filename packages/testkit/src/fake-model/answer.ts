/*
 * One request and its answer, step by step.
 */
import type { ServerResponse } from 'node:http';
import { chooseTool, findShellTool } from './choose-tool.ts';
import type { Gates } from './gates.ts';
import type { ModelRequestEntry, WritableRequestLog } from './request-log.ts';
import { findNonces, type ModelRound, type ModelStep, sayModel } from './script.ts';
import type { AnswerPart, JsonObject, ModelRequest, Wire } from './wires/wire.ts';

export interface Arrived {
  readonly wire: Wire;
  readonly body: JsonObject;
  readonly url: URL;
  readonly response: ServerResponse;
  /** Counted by the clients of Anthropic and OpenAI. */
  readonly attempt: number;
}

export interface ModelState {
  readonly log: WritableRequestLog;
  readonly gates: Gates;
  readonly scripts: ReadonlyMap<string, readonly ModelRound[]>;
}

export async function answerRequest(arrived: Arrived, state: ModelState): Promise<void> {
  const { wire, body, url, response, attempt } = arrived;
  const request = wire.parse(body, url);
  const entry = {
    ...describe(request),
    wire: wire.name,
    path: url.pathname,
    model: request.model,
    attempt,
  };
  const serial = state.log.add(entry);
  const round = chooseRound(entry, state);
  const [first] = round;
  if (first?.kind === 'refuse') {
    response.writeHead(first.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(wire.refusal(first.status, first.message)));
    state.log.settle(serial, 'refused');
    return;
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const id = `answer-${serial}`;
  const out = request.isStreaming
    ? createStreamOutput(wire, request, { id, response })
    : createWholeOutput(wire, request, { id, response });
  for (const step of round) {
    if (gone.signal.aborted) break;
    if (step.kind === 'gate') await state.gates.pass(step.name, gone.signal);
    else for (const part of partsOf(step, request, id)) await out.part(part);
  }
  const isWhole = !gone.signal.aborted;
  if (isWhole) out.end();
  state.log.settle(serial, isWhole ? 'finished' : 'aborted');
}

/* Enough to tell a prompt from what an agent asks on its own account. */
const newestCharactersMax = 300;

function describe({
  items,
  tools,
}: ModelRequest): Pick<
  ModelRequestEntry,
  'nonce' | 'nonces' | 'round' | 'toolResults' | 'tools' | 'isSide' | 'newest'
> {
  const nonces = items.flatMap((item) => (item.kind === 'user' ? findNonces(item.text) : []));
  const nonce = nonces.at(-1);
  const isOfTurn = (text: string): boolean => nonce !== undefined && text.includes(nonce);
  const start = items.findLastIndex((item) => item.kind === 'user' && isOfTurn(item.text));
  const toolResults = items
    .slice(start + 1)
    .flatMap((item) => (item.kind === 'tool-result' ? [item.text] : []));
  return {
    nonce,
    nonces: [...new Set(nonces)],
    round: toolResults.length,
    toolResults,
    tools: tools.map(({ name }) => name),
    isSide: findShellTool(tools) === undefined,
    newest: JSON.stringify(items.at(-1) ?? null).slice(0, newestCharactersMax),
  };
}

function chooseRound(
  { nonce, round, isSide }: Pick<ModelRequestEntry, 'nonce' | 'round' | 'isSide'>,
  { scripts }: ModelState,
): ModelRound {
  // A title, a summary or a route: any word will do.
  if (isSide || nonce === undefined) return [sayModel('ok')];
  return scripts.get(nonce)?.[round] ?? [sayModel('ok')];
}

function partsOf(step: ModelStep, request: ModelRequest, id: string): readonly AnswerPart[] {
  if (step.kind === 'text') return step.pieces.map((text) => ({ kind: 'text', text }));
  if (step.kind !== 'shell' && step.kind !== 'tool') return [];
  const chosen = chooseTool(step, request);
  if (chosen !== undefined) return [{ kind: 'call', call: { id: `call-${id}`, ...chosen } }];
  const known = request.tools.map(({ name }) => name).join(', ');
  return [{ kind: 'text', text: `[the fake model found no tool for ${step.kind} in: ${known}]` }];
}

interface Output {
  /** Resolves when the system has taken it, so that a gate after it means that it was sent. */
  part(part: AnswerPart): Promise<void>;
  end(): void;
}

interface Target {
  readonly id: string;
  readonly response: ServerResponse;
}

function createStreamOutput(wire: Wire, request: ModelRequest, { id, response }: Target): Output {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const stream = wire.stream(request, id);
  let begin = stream.begin();
  return {
    part: (part) => {
      const bytes = begin + stream.part(part);
      begin = '';
      const { promise, resolve } = Promise.withResolvers<void>();
      // An error means that the client has gone, which the response's close tells.
      response.write(bytes, () => resolve());
      return promise;
    },
    end: () => void response.end(begin + stream.end()),
  };
}

function createWholeOutput(wire: Wire, request: ModelRequest, { id, response }: Target): Output {
  const parts: AnswerPart[] = [];
  return {
    part: async (part) => void parts.push(part),
    end: () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.whole(request, id, parts)));
    },
  };
}
