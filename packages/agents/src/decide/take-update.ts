/*
 * What an agent tells while it works, as events. Deltas of one message within a batch are joined (W9); a `message` event ends it, with
 * the length and hash of the whole text. An update that we do not know is stored and shown as it came (W3).
 */
import { isObject, type JsonObject } from '../wire/json-rpc.ts';
import type { MessageRole } from '../rows.ts';
import type { Consuming } from './consuming.ts';
import { addText, type MessageText, noText, sealText } from './message-text.ts';

/* The text of the open message, while a batch is consumed. */
export class Texts {
  text: MessageText;

  constructor(text: MessageText) {
    this.text = text;
  }
}

/* Maps, because an agent may say `constructor`, which every object has. */
const roles: ReadonlyMap<string, MessageRole> = new Map([
  ['agent_message_chunk', 'agent'],
  ['agent_thought_chunk', 'thought'],
  ['user_message_chunk', 'user'],
]);

/* These do not interrupt a text: agents send them in the middle of one. */
const besides: ReadonlyMap<string, 'usage' | 'status'> = new Map([
  ['usage_update', 'usage'],
  ['available_commands_update', 'status'],
  ['current_mode_update', 'status'],
  ['config_option_update', 'status'],
  ['session_info_update', 'status'],
]);

export function takeUpdate(consuming: Consuming, update: JsonObject): void {
  const { draft, atMs } = consuming;
  const { sessionUpdate, ...facts } = update;
  const kind = typeof sessionUpdate === 'string' ? sessionUpdate : '';
  const role = roles.get(kind);
  if (role !== undefined) {
    takeChunk(consuming, role, facts);
    return;
  }
  const beside = besides.get(kind);
  if (beside !== undefined) {
    draft.event(beside, { update: kind, ...facts }, { atMs });
    return;
  }
  if (kind === 'tool_call_update') {
    draft.event('tool', { update: kind, ...facts }, { atMs });
    return;
  }
  closeMessage(consuming);
  if (kind === 'tool_call') draft.event('tool', { update: kind, ...facts }, { atMs });
  else if (kind === 'plan') draft.event('plan', facts, { atMs });
  else draft.event('noise', { update: kind, raw: facts }, { atMs });
}

/* Of an agent whose whole output is one answer. */
export function takeText(consuming: Consuming, text: string): void {
  takeChunk(consuming, 'agent', { content: { type: 'text', text } });
}

function takeChunk(
  consuming: Consuming,
  role: MessageRole,
  { content, messageId }: JsonObject,
): void {
  const { draft, texts, atMs } = consuming;
  const id = typeof messageId === 'string' ? messageId : undefined;
  const text = isObject(content) && content['type'] === 'text' ? content['text'] : undefined;
  if (typeof text !== 'string') {
    closeMessage(consuming);
    draft.event('message', { role, messageId: id, block: content }, { atMs });
    return;
  }
  if (text === '') return;
  const open = draft.changeRun({}).openMessage;
  const isSame = open !== undefined && open.role === role && open.messageId === id;
  if (!isSame) {
    closeMessage(consuming);
    draft.changeRun({ openMessage: { role, messageId: id, firstSeq: draft.nextSeq } });
  }
  texts.text = addText(texts.text, text);
  const { lastEvent } = draft;
  const said = lastEvent?.payload['text'];
  if (isSame && lastEvent?.type === 'delta' && typeof said === 'string' && said.length < joinMax) {
    draft.replaceLastEvent({ ...lastEvent.payload, text: said + text });
    return;
  }
  draft.event('delta', { role, messageId: id, text }, { atMs });
}

/* Of one event; a batch is not longer (W9). */
const joinMax = 32 * 1024;

export function closeMessage({
  draft,
  texts,
  atMs,
}: Pick<Consuming, 'draft' | 'texts' | 'atMs'>): void {
  const open = draft.run?.openMessage;
  if (open === undefined) return;
  const { role, messageId, firstSeq } = open;
  draft.event('message', { role, messageId, firstSeq, ...sealText(texts.text) }, { atMs });
  draft.changeRun({ openMessage: undefined });
  texts.text = noText();
}
