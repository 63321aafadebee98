/*
 * The fake model, asked as each agent asks it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import {
  createNonce,
  type FakeModel,
  type ModelRound,
  openFakeModel,
  sayModel,
  saySeeded,
  wholeText,
} from '@clawdfather/testkit';

interface Api {
  readonly path: string;
  /** A first request, and the one after a tool's result. */
  request(prompt: string, result?: string): object;
  readonly textOf: (event: Json) => string;
  readonly callOf: (event: Json) => readonly [string, string] | undefined;
}

type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

const schema = { type: 'object', properties: { command: { type: 'string' } } };

const apis: Readonly<Record<string, Api>> = {
  'openai-chat': {
    path: '/v1/chat/completions',
    request: (prompt, result) => ({
      model: 'm',
      stream: true,
      messages: [
        { role: 'user', content: prompt },
        ...(result === undefined ? [] : [{ role: 'assistant' }, { role: 'tool', content: result }]),
      ],
      tools: [{ type: 'function', function: { name: 'bash', parameters: schema } }],
    }),
    textOf: (event) => event['choices'][0].delta.content ?? '',
    callOf: (event) => {
      const called = event['choices'][0].delta.tool_calls?.[0].function;
      return called === undefined ? undefined : [called.name, called.arguments];
    },
  },
  'openai-responses': {
    path: '/v1/responses',
    request: (prompt, result) => ({
      model: 'm',
      stream: true,
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
        ...(result === undefined ? [] : [{ type: 'function_call_output', output: result }]),
      ],
      tools: [{ type: 'function', name: 'bash', parameters: schema }],
    }),
    textOf: (event) => (event['type'] === 'response.output_text.delta' ? event['delta'] : ''),
    callOf: (event) =>
      event['type'] === 'response.output_item.done' && event['item'].type === 'function_call'
        ? [event['item'].name, event['item'].arguments]
        : undefined,
  },
  'anthropic-messages': {
    path: '/v1/messages',
    request: (prompt, result) => ({
      model: 'm',
      stream: true,
      messages: [
        { role: 'user', content: [{ type: 'text', text: prompt }] },
        ...(result === undefined
          ? []
          : [{ role: 'user', content: [{ type: 'tool_result', content: result }] }]),
      ],
      tools: [{ name: 'bash', input_schema: schema }],
    }),
    textOf: (event) => event['delta']?.text ?? '',
    callOf: (event) =>
      event['delta']?.partial_json === undefined
        ? undefined
        : ['bash', event['delta'].partial_json],
  },
  'google-generate': {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    request: (prompt, result) => ({
      contents: [
        { role: 'user', parts: [{ text: prompt }] },
        ...(result === undefined
          ? []
          : [{ role: 'user', parts: [{ functionResponse: { response: { output: result } } }] }]),
      ],
      tools: [{ functionDeclarations: [{ name: 'bash', parametersJsonSchema: schema }] }],
    }),
    textOf: (event) => event['candidates'][0].content.parts[0]?.text ?? '',
    callOf: (event) => {
      const called = event['candidates'][0].content.parts[0]?.functionCall;
      return called === undefined ? undefined : [called.name, JSON.stringify(called.args)];
    },
  },
};

const random = createSystemRandom();

function post(model: FakeModel, path: string, body: object): Promise<Response> {
  return fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) });
}

async function eventsOf(response: Response): Promise<Json[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)) as Json);
}

for (const [name, api] of Object.entries(apis)) {
  test(`${name}: text comes in the seed's pieces, a tool is called, its result leads to the next round`, async () => {
    await using model = await openFakeModel();
    const nonce = createNonce(random);
    const rounds: ModelRound[] = [
      [saySeeded(3, 50), { kind: 'shell', command: 'ls' }],
      [sayModel('the end')],
    ];
    model.script(nonce, rounds);

    const first = await eventsOf(await post(model, api.path, api.request(`do it ${nonce}`)));
    const pieces = first.map(api.textOf).filter((piece) => piece !== '');
    assert.deepEqual(pieces, saySeeded(3, 50).pieces);
    const calls = first.map(api.callOf).filter((call) => call !== undefined);
    assert.deepEqual(calls, [['bash', '{"command":"ls"}']]);

    const second = await eventsOf(await post(model, api.path, api.request(nonce, 'a b')));
    assert.equal(second.map(api.textOf).join(''), 'the end');
    assert.equal(pieces.join('') + 'the end', wholeText(rounds).text);
    assert.deepEqual(
      model.log.of(nonce).map(({ wire, round, outcome }) => ({ wire, round, outcome })),
      [0, 1].map((round) => ({ wire: name, round, outcome: 'finished' })),
    );
    assert.match(model.log.all[1]?.toolResults[0] ?? '', /a b/);
  });
}

const chat = apis['openai-chat']!;

test('a gate holds the rest of the answer until it is released, and what came before has been sent', async () => {
  await using model = await openFakeModel();
  const nonce = createNonce(random);
  model.script(nonce, [[sayModel('one'), { kind: 'gate', name: 'middle' }, sayModel('two')]]);
  const response = await post(model, chat.path, chat.request(nonce));
  await model.gates.reached('middle');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  while (!heard.includes('one')) heard += (await reader.read()).value ?? '';
  assert.doesNotMatch(heard, /two|DONE/);
  model.gates.release('middle');
  for (let read = await reader.read(); !read.done; read = await reader.read()) heard += read.value;
  assert.match(heard, /two.*DONE/s);
});

test('a client that goes away at a gate is logged as aborted', async () => {
  await using model = await openFakeModel();
  const nonce = createNonce(random);
  model.script(nonce, [[sayModel('one'), { kind: 'gate', name: 'middle' }, sayModel('two')]]);
  const response = await post(model, chat.path, chat.request(nonce));
  await model.gates.reached('middle');
  await response.body!.cancel();
  const entry = await model.log.until(({ outcome }) => outcome !== 'open');
  assert.equal(entry.outcome, 'aborted');
});

test('a refusal has its status, and a request without a shell tool is a side request that uses up nothing', async () => {
  await using model = await openFakeModel();
  const nonce = createNonce(random);
  model.script(nonce, [[{ kind: 'refuse', status: 400, message: 'no' }]]);
  const title = { model: 'm', messages: [{ role: 'user', content: `a title for ${nonce}` }] };
  const aside = (await (await post(model, chat.path, title)).json()) as Json;
  assert.equal(aside['choices'][0].message.content, 'ok');
  const refused = await post(model, chat.path, chat.request(nonce));
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /"no"/);
  assert.deepEqual(
    model.log.of(nonce).map(({ outcome }) => outcome),
    ['refused'],
  );
  assert.equal((await post(model, '/elsewhere', {})).status, 404);
  assert.deepEqual(model.unknown, ['POST /elsewhere']);
});

test('a newer turn with older ones in its conversation is the newest nonce', async () => {
  await using model = await openFakeModel();
  const [older, newer] = [createNonce(random), createNonce(random)];
  model.script(older, [[sayModel('older')]]);
  model.script(newer, [[sayModel('newer')]]);
  const messages = [
    { role: 'user', content: older },
    { role: 'assistant', content: 'older' },
    { role: 'user', content: newer },
  ];
  const request = { ...chat.request(''), messages };
  const events = await eventsOf(await post(model, chat.path, request));
  assert.equal(events.map(chat.textOf).join(''), 'newer');
  assert.deepEqual(model.log.all[0]?.nonces, [older, newer]);
  assert.equal(model.log.of(older).length, 0);
});
