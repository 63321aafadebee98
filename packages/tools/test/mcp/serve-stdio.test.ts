/*
 * The MCP face over real pipes, in both eras of the protocol, with tools that follow a script.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Progress } from '@modelcontextprotocol/client';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { connect, eras, openPipes, scriptedServer } from './rig.ts';

function textOf(result: { readonly content: readonly object[] }): string {
  const [block] = result.content as readonly { readonly text: string }[];
  return block?.text ?? '';
}

const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'pipes', version: '1' },
  },
};

for (const era of eras) {
  test(`${era}: the two tools are listed and say honestly what they can do`, async (t) => {
    const { client } = await connect(t, { command: scriptedServer, era });
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['exec', 'process']);
    for (const { annotations, inputSchema, outputSchema, description } of tools) {
      assert.equal(annotations?.readOnlyHint, false);
      assert.equal(annotations?.destructiveHint, true);
      assert.equal(annotations?.idempotentHint, false);
      assert.equal(annotations?.openWorldHint, true);
      assert.equal(inputSchema.type, 'object');
      assert.equal(outputSchema?.['type'], 'object');
      assert.ok((description ?? '').length > 500);
    }
    assert.match(client.getInstructions() ?? '', /supervised runs/);
  });

  test(`${era}: a result is text and structure; the tools know who asks`, async (t) => {
    const { client, saw } = await connect(t, {
      command: scriptedServer,
      era,
      clientName: 'my agent',
    });
    await client.listTools();
    const result = await client.callTool({ name: 'exec', arguments: { command: 'echo hi' } });
    assert.match(textOf(result), /^Exit code 0 after 12 ms, run run-1\.\n\necho hi\n$/);
    assert.equal((result.structuredContent as { exitCode: number }).exitCode, 0);
    assert.equal(result.isError ?? false, false);
    const call: unknown = JSON.parse(await saw('"exec"'));
    assert.deepEqual(call, {
      event: 'exec',
      requester: 'mcp:my-agent',
      account: 'local',
      sessionId: 'session-1',
      directory: '/tmp',
      outputCharactersMax: 16_000,
    });
  });

  test(`${era}: what could not be done is an error result with the way out`, async (t) => {
    const { client } = await connect(t, { command: scriptedServer, era });
    await client.listTools();
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      return { isError: result.isError ?? false, text: textOf(result), result };
    };
    const unknown = await call('exec', { command: 'fail' });
    assert.deepEqual(
      [unknown.isError, unknown.text],
      [true, 'no run is called x. See process list.'],
    );
    const wrong = await call('process', { action: 'poll' });
    assert.equal(wrong.isError, true);
    assert.match(wrong.text, /"runId" is missing/);
    const denied = await call('exec', { command: 'denied' });
    assert.equal(denied.isError, true);
    assert.deepEqual(denied.result.structuredContent, {
      status: 'denied',
      cause: 'policy',
      rule: 'not on the allowlist',
      by: 'policy',
    });
    const held = await call('exec', { command: 'held' });
    assert.equal(held.isError, false);
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /nothing/);
  });

  test(`${era}: cancelling a call aborts it, and progress came before`, async (t) => {
    const { client, saw } = await connect(t, { command: scriptedServer, era });
    const controller = new AbortController();
    const reports: Progress[] = [];
    const first = Promise.withResolvers<void>();
    const call = client.callTool(
      { name: 'exec', arguments: { command: 'wait', yieldMs: 60_000 } },
      {
        signal: controller.signal,
        onprogress: (report) => {
          reports.push(report);
          first.resolve();
        },
      },
    );
    const rejected = assert.rejects(call);
    await first.promise;
    controller.abort('enough');
    await rejected;
    await saw('aborted');
    assert.equal(reports[0]?.message, 'linking');
    assert.equal(reports[0]?.total, 60_000);
  });

  test(`${era}: a client that goes away aborts nothing`, async (t) => {
    const { client, saw } = await connect(t, { command: scriptedServer, era });
    const call = client.callTool({ name: 'exec', arguments: { command: 'wait' } });
    const rejected = assert.rejects(call);
    await saw('waiting');
    await client.close();
    await rejected;
    await saw('closed');
  });
}

test('every earlier revision that begins with a handshake is served as asked for', async (t) => {
  for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
    const pipes = openPipes(t, scriptedServer);
    pipes.send(JSON.stringify({ ...hello, params: { ...hello.params, protocolVersion } }));
    const { result } = (await pipes.next()) as { result: { protocolVersion: string } };
    assert.equal(result.protocolVersion, protocolVersion);
    pipes.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    pipes.send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"process","arguments":{"action":"list"}}}',
    );
    assert.match(JSON.stringify(await pipes.next()), /There are no runs/);
    pipes.child.stdin?.end();
    assert.deepEqual(await pipes.ended, { code: 0, signal: null });
  }
  assert.ok(SUPPORTED_PROTOCOL_VERSIONS.includes('2024-11-05'));
  assert.ok(SUPPORTED_PROTOCOL_VERSIONS.includes('2025-11-25'));
});

test('progress is sent only to those who ask for it', async (t) => {
  const pipes = openPipes(t, scriptedServer);
  pipes.send(JSON.stringify(hello));
  await pipes.next();
  pipes.send(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exec","arguments":{"command":"wait"}}}',
  );
  await pipes.saw('waiting');
  pipes.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await pipes.saw('aborted');
  pipes.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  assert.deepEqual(await pipes.next(), { jsonrpc: '2.0', id: 2, result: {} });
});

test('garbage, unknown methods and endless nesting are answered, and the next call works', async (t) => {
  const pipes = openPipes(t, scriptedServer);
  pipes.send(JSON.stringify(hello));
  await pipes.next();
  const codeOf = async (line: string): Promise<unknown> => {
    pipes.send(line);
    return ((await pipes.next()) as { error?: { code: number } }).error?.code;
  };
  assert.equal(await codeOf('this is no JSON'), -32700);
  assert.equal(await codeOf('\u0000\u0001'), -32700);
  assert.equal(await codeOf('{"jsonrpc":"2.0","id":1,"method":"nothing/such"}'), -32601);
  assert.equal(await codeOf('{"jsonrpc":"2.0","id":2,"method":"tools/call"}'), -32602);
  assert.equal(await codeOf('{"jsonrpc":"2.0","id":3,"method":"resources/list"}'), -32601);
  assert.equal(await codeOf('[1,2'), -32700);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  pipes.send(
    `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"exec","arguments":{"command":${deep}}}}`,
  );
  assert.equal((await pipes.next())['id'], 4);
  pipes.send('{"jsonrpc":"2.0","id":5,"method":"ping"}');
  assert.deepEqual(await pipes.next(), { jsonrpc: '2.0', id: 5, result: {} });
});

test('a message of 10 MB is served; one beyond every measure is refused and read past', async (t) => {
  const pipes = openPipes(t, scriptedServer);
  pipes.send(JSON.stringify(hello));
  await pipes.next();
  const stdin = 'x'.repeat(10_000_000);
  const params = { name: 'exec', arguments: { command: 'length', stdin } };
  pipes.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  assert.match(JSON.stringify(await pipes.next()), /"output":"10000000"/);
  pipes.send('y'.repeat(65 * 1_024 * 1_024));
  assert.match(JSON.stringify(await pipes.next()), /-32600.*was dropped/);
  pipes.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  assert.equal((await pipes.next())['id'], 2);
});

test('it ends quietly at the end of input, and when nobody reads its output', async (t) => {
  const atEnd = openPipes(t, scriptedServer);
  atEnd.send(JSON.stringify(hello));
  await atEnd.next();
  atEnd.child.stdin?.end();
  assert.deepEqual(await atEnd.ended, { code: 0, signal: null });

  const unread = openPipes(t, scriptedServer);
  unread.send(JSON.stringify(hello));
  await unread.next();
  unread.child.stdout?.destroy();
  // The pipe notices at a write, and the first one may still fit.
  unread.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  unread.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  await unread.saw('closed');
  assert.deepEqual(await unread.ended, { code: 0, signal: null });
});
