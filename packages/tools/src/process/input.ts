/*
 * What can be typed into a run: bytes, keys, Enter, a paste.
 *
 * Keys and pastes depend on what the program has asked its terminal for, which is read from its output. On pipes there
 * is no terminal; keys are sent as a plain terminal sends them, and Enter is a newline, because no line discipline turns a
 * carriage return into one there.
 */
import { startTimeLimit, unlessAborted } from '@clawdfather/kit';
import type { ManagedRun, RunRecord } from '@clawdfather/supervisor';
import type { ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { bytesOf } from '../keys/bytes-of.ts';
import { encodeKeys } from '../keys/encode-keys.ts';
import { encodePaste } from '../keys/paste.ts';
import type { TerminalModes } from '../terminal/terminal-model.ts';
import { findRecord } from './find-run.ts';
import { refusedCommand } from './refusals.ts';
import type { ParamsOf, ResultOf } from './result-of.ts';

/* A program that does not read for so long will not; a longer wait would look like a hang of ours. */
const acceptMs = 10_000;

const plainModes: TerminalModes = {
  applicationCursor: false,
  applicationKeypad: false,
  bracketedPaste: false,
};

export async function writeInput(
  context: ToolsContext,
  params: ParamsOf<'write'>,
  call: ToolCall,
): Promise<ResultOf<'write'>> {
  const { data = '', encoding, eof: isEof = false } = params;
  if (data === '' && !isEof) throw nothingToSend('data or eof');
  const record = findRecord(context, params.runId, call);
  const bytes = bytesOf(data, encoding);
  if (bytes === undefined) throw notBase64();
  await send(context, record, { bytes, isEof, call });
  return { runId: record.runId, bytes: bytes.length, isEof };
}

export async function sendKeys(
  context: ToolsContext,
  params: ParamsOf<'send-keys'>,
  call: ToolCall,
): Promise<ResultOf<'send-keys'>> {
  const record = findRecord(context, params.runId, call);
  const modes = await modesOf(context, record, call);
  const encoded = encodeKeys(params, { ...modes, isOnPipes: record.mode === 'child' });
  if (!encoded.ok) {
    const { problem, suggestion } = encoded;
    throw new ToolsError('params-invalid', problem, {
      detail: { field: 'keys', ...(suggestion === undefined ? {} : { nearest: suggestion }) },
      ...(suggestion === undefined ? {} : { hint: `Did you mean ${suggestion}?` }),
    });
  }
  if (encoded.bytes.length === 0) throw nothingToSend('literal, hex or keys');
  await send(context, record, { bytes: encoded.bytes, call });
  return { runId: record.runId, bytes: encoded.bytes.length };
}

export async function submit(
  context: ToolsContext,
  params: ParamsOf<'submit'>,
  call: ToolCall,
): Promise<ResultOf<'submit'>> {
  const record = findRecord(context, params.runId, call);
  const bytes = Buffer.from(record.mode === 'child' ? '\n' : '\r');
  await send(context, record, { bytes, call });
  return { runId: record.runId };
}

export async function paste(
  context: ToolsContext,
  params: ParamsOf<'paste'>,
  call: ToolCall,
): Promise<ResultOf<'paste'>> {
  const record = findRecord(context, params.runId, call);
  if (params.text === '') throw nothingToSend('text');
  const { bracketedPaste: isBracketed } = await modesOf(context, record, call);
  const isTerminal = record.mode !== 'child';
  const bytes = encodePaste(params.text, { isBracketed, isTerminal });
  await send(context, record, { bytes, call });
  return { runId: record.runId, bytes: bytes.length, isBracketed };
}

async function modesOf(
  { terminals }: ToolsContext,
  record: RunRecord,
  call: ToolCall,
): Promise<TerminalModes> {
  if (record.mode === 'child') return plainModes;
  return (await terminals.look(record, call.signal)).modes;
}

interface Sending {
  readonly bytes: Uint8Array;
  readonly isEof?: boolean;
  readonly call: ToolCall;
}

async function send(context: ToolsContext, record: RunRecord, sending: Sending): Promise<void> {
  const { runId } = record;
  if (record.exit !== undefined) {
    throw new ToolsError('run-ended', `run ${runId} has ended`, { detail: { runId } });
  }
  const run = await context.supervisor.attach(runId);
  try {
    if (sending.bytes.length > 0) await accepted(context, run, sending);
    if (sending.isEof === true) await run.end();
  } catch (error) {
    throw refusedCommand(error, runId);
  }
}

/* The shim keeps what it has taken; only the waiting ends. */
async function accepted(
  { clock, signal }: ToolsContext,
  run: ManagedRun,
  { bytes, call }: Sending,
): Promise<void> {
  using limit = startTimeLimit(clock, acceptMs, [call.signal, signal]);
  const written = run.write(bytes).then(() => true);
  if (await unlessAborted(written, limit.signal)) return;
  call.signal.throwIfAborted();
  throw blocked(run.runId);
}

function blocked(runId: string): ToolsError {
  return new ToolsError('input-blocked', `run ${runId} does not read its input`, {
    detail: { runId },
    hint: 'What was taken is delivered when it reads again; poll it, or end it.',
  });
}

function nothingToSend(what: string): ToolsError {
  return new ToolsError('params-invalid', `there is nothing to send: give ${what}`);
}

function notBase64(): ToolsError {
  return new ToolsError('params-invalid', 'data: this is not base64', {
    detail: { field: 'data' },
  });
}
