/*
 * What the model's APIs have in common: a request is a conversation and a list of tools, an answer is text and calls of tools.
 */

export type ConversationItem =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'tool-result'; readonly text: string }
  | { readonly kind: 'assistant' };

export interface OfferedTool {
  readonly name: string;
  /** A JSON schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly model: string;
  readonly isStreaming: boolean;
  readonly items: readonly ConversationItem[];
  readonly tools: readonly OfferedTool[];
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall };

/** Makes the bytes of one answer. Every method returns what is to be written next. */
export interface AnswerStream {
  begin(): string;
  part(part: AnswerPart): string;
  end(): string;
}

export interface Wire {
  readonly name: string;
  parse(body: JsonObject, url: URL): ModelRequest;
  stream(request: ModelRequest, id: string): AnswerStream;
  /** The same answer for a client that asked for no stream. */
  whole(request: ModelRequest, id: string, parts: readonly AnswerPart[]): JsonObject;
  refusal(status: number, message: string): JsonObject;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Agents count on some number; none of them minds which. */
export const usage = { input: 10, output: 5 };

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Content that is a text or a list of blocks with texts. */
export function joinedText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(({ text }) => textOf(text))
    .join('\n');
}

export function joinText(parts: readonly AnswerPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

export function callsIn(parts: readonly AnswerPart[]): readonly ToolCall[] {
  return parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []));
}

export function sse(data: JsonObject | string, event?: string): string {
  const body = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${body}\n\n`;
}
