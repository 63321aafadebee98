/*
 * What a gateway tells about turns: lines, numbers and spans; and that a turn that survives its gateway is one span.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openCollector, type SeenSpan } from '../fixtures/open-collector.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { createTalk, isEndOf } from './talk.ts';

async function numbersOf(rig: TestGateway): Promise<(series: string) => number> {
  const lines = (await (await rig.request('/metrics')).text()).split('\n');
  return (series) => {
    const line = lines.find((each) => each.startsWith(`${series} `));
    assert.ok(line !== undefined, `no ${series}`);
    return Number(line.slice(series.length));
  };
}

function fieldsOf(lines: readonly Line[], name: string) {
  return lines.filter(([, each]) => each === name).map(([level, , fields]) => ({ level, fields }));
}

function only(spans: readonly SeenSpan[], name: string): SeenSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${found.length} × ${name}`);
  return found[0] as SeenSpan;
}

const secret = 'the-prompt-itself';

test('turns and asks: lines without their texts, and numbers by result and decision', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say(`ask: ${secret}`);
  const { payload } = await talk.until(({ type }) => type === 'approval');
  const during = await numbersOf(rig);
  assert.equal(during('clawdfather_turns{state="running"}'), 1);
  assert.equal(during('clawdfather_turns{state="waiting"}'), 0);
  await me.post(`asks/${String(payload['ask'])}`, { option_id: 'allow' });
  await talk.until(isEndOf(turn));
  const crashed = await talk.say('crash');
  await talk.until(isEndOf(crashed));

  const after = await numbersOf(rig);
  assert.equal(after('clawdfather_turns{state="running"}'), 0);
  assert.equal(after('clawdfather_turn_start_total{agent="other"}'), 2);
  assert.equal(after('clawdfather_turn_end_total{result="success",agent="other"}'), 1);
  assert.equal(after('clawdfather_turn_end_total{result="error",agent="other"}'), 1);
  assert.equal(after('clawdfather_turn_duration_seconds_count'), 2);
  assert.equal(after('clawdfather_turn_queue_wait_seconds_count'), 2);
  assert.equal(after('clawdfather_ask_total{class="permission"}'), 1);
  assert.equal(after('clawdfather_ask_end_total{class="permission",outcome="allow_once"}'), 1);
  assert.equal(after('clawdfather_ask_wait_seconds_count'), 1);
  assert.equal(after('clawdfather_session_error_total{error_type="runtime"}'), 1);
  assert.equal(after('clawdfather_session_error_total{error_type="agent_spawn"}'), 0);

  const [started] = fieldsOf(lines, 'turn.started');
  assert.equal(started?.level, 'info');
  assert.partialDeepStrictEqual(started.fields, {
    threadId: talk.id(),
    turnId: turn,
    agent: 'echo',
  });
  const [ended, lost] = fieldsOf(lines, 'turn.ended');
  assert.partialDeepStrictEqual(ended?.fields, { status: 'completed', result: 'success' });
  assert.equal(typeof ended?.fields['durationMs'], 'number');
  assert.partialDeepStrictEqual(lost?.fields, { status: 'interrupted', cause: 'signal' });
  assert.partialDeepStrictEqual(fieldsOf(lines, 'ask.closed')[0]?.fields, {
    outcome: 'allow_once',
  });
  assert.equal(fieldsOf(lines, 'ask.opened').length, 1);
  assert.partialDeepStrictEqual(fieldsOf(lines, 'session.error')[0]?.fields, {
    error_type: 'runtime',
    error: 'signal',
  });
  const ours = lines.filter(([, name]) => /^(turn|ask|thread|session)\./.test(name));
  assert.doesNotMatch(JSON.stringify(ours), new RegExp(secret));
});

test('an agent that cannot be started is an error of its session', async () => {
  const missing = { name: 'missing', command: ['/nonexistent/agent'] } as const;
  await using rig = await openTestGateway({ config: { agents: { named: [missing] } } });
  const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
  await talk.begin({ agent: 'missing' });
  const turn = await talk.say('hello');
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'failed');
  const numbers = await numbersOf(rig);
  assert.equal(numbers('clawdfather_session_error_total{error_type="agent_spawn"}'), 1);
  assert.equal(numbers('clawdfather_turn_end_total{result="error",agent="other"}'), 1);
});

test('a turn is a span below its request, and the start of its agent is below the turn', async () => {
  await using collector = await openCollector();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  let sessionId = '';
  {
    await using rig = await openTestGateway({ config: { otlpEndpoint: collector.url } });
    const me = callerOf(rig.url, rig.owner.token);
    const talk = createTalk(() => me);
    await talk.begin();
    const answer = await rig.request(`/api/v1/threads/${talk.id()}/turns`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ text: 'say 2000 words' }),
    });
    const { turn } = (await answer.json()) as { turn: { id: string } };
    await talk.until(isEndOf(turn.id));
    sessionId = (await me.get(`threads/${talk.id()}`)).body['thread'].session_id;
  }
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const request = only(spans, 'api.request');
  const message = only(spans, 'agent.process_message');
  assert.equal(message.parentSpanId, request.spanId);
  assert.deepEqual(message.attributes, { session_lease_id: sessionId, message_length: 14 });
  assert.equal(message.isError, false);
  const spawn = only(spans, 'agent.spawn');
  assert.equal(spawn.parentSpanId, message.spanId);
  assert.deepEqual(spawn.attributes, { agent_session_id: sessionId });
  // What the agent says later is stored by work of its own, and not in the name of the request.
  const events = spans.filter(({ attributes }) => attributes['table'] === 'turn_events');
  assert.ok(events.length <= 3, `${events.length} statements`);
});

test('a turn that survives its gateway has one span, sent by the gateway that saw its end', {
  timeout: 120_000,
}, async () => {
  await using collector = await openCollector();
  const directory = await mkdtemp(join(tmpdir(), 'clf-observed-'));
  const config = { otlpEndpoint: collector.url };
  let gateway = await startGatewayProcess(directory, config);
  try {
    const talk = createTalk(() => gateway.me);
    await talk.begin();
    const turn = await talk.say('ask: go on?');
    const { payload } = await talk.until(({ type }) => type === 'approval');
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory, config);
    await gateway.me.post(`asks/${String(payload['ask'])}`, { option_id: 'allow' });
    await talk.until(isEndOf(turn));
    await gateway.end('SIGTERM');
    const message = only(collector.spans, 'agent.process_message');
    assert.match(message.parentSpanId ?? '', /^[0-9a-f]{16}$/);
    assert.equal(message.isError, false);
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});
