/*
 * Which API a request is for. Agents put different things before the last words of the path, so only those count.
 */
import { anthropicMessages } from './wires/anthropic.ts';
import { googleGenerate } from './wires/google.ts';
import { openaiChat } from './wires/openai-chat.ts';
import { openaiResponses } from './wires/openai-responses.ts';
import type { JsonObject, Wire } from './wires/wire.ts';

export type Route =
  | { readonly kind: 'model'; readonly wire: Wire }
  | { readonly kind: 'fixed'; readonly answer: JsonObject };

const wires: readonly (readonly [RegExp, Wire])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropicMessages],
  [/:(?:streamG|g)enerateContent$/, googleGenerate],
];

export function findRoute(method: string, { pathname }: URL): Route | undefined {
  if (method === 'GET' && pathname.endsWith('/models')) {
    return { kind: 'fixed', answer: { object: 'list', data: [], models: [] } };
  }
  if (method !== 'POST') return undefined;
  if (pathname.endsWith('/count_tokens')) return { kind: 'fixed', answer: { input_tokens: 10 } };
  if (pathname.endsWith(':countTokens')) return { kind: 'fixed', answer: { totalTokens: 10 } };
  const wire = wires.find(([pattern]) => pattern.test(pathname))?.[1];
  return wire === undefined ? undefined : { kind: 'model', wire };
}
