/*
 * An agent with a token of the scopes `read` and `run`, at a gateway: its commands over the API and over MCP.
 */
import assert from 'node:assert/strict';

export interface TokenAgent {
  readonly doors: readonly TokenDoor[];
  /* A request of the API with the token, or with another credential; undefined: none. */
  readonly ask: (path: string, body?: object, credential?: string) => Promise<ApiAnswer>;
}

export interface TokenDoor {
  readonly name: 'API' | 'MCP';
  /* What the answer to a start says; `ask: always` has it held. */
  readonly exec: (
    command: string,
    ask?: 'always',
    host?: string,
  ) => Promise<Record<string, unknown>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const revision = '2026-07-28';

export function createTokenAgent(url: string, token: string): TokenAgent {
  const ask: TokenAgent['ask'] = async (path, body, credential = token) => {
    const answer = await fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(credential === '' ? {} : { authorization: `Bearer ${credential}` }),
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
  };
  const overApi: TokenDoor['exec'] = async (command, asked, host) => {
    const how = howOf(asked, host);
    return (await ask('/api/v1/runs', { command, yieldMs: 25_000, ...how })).body;
  };
  const overMcp: TokenDoor['exec'] = async (command, asked, host) => {
    const how = howOf(asked, host);
    const name = 'exec';
    const answer = await fetch(new URL('/mcp', url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: { command, yieldMs: 25_000, ...how },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': revision,
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const text = await answer.text();
    // One answer, as JSON or as the last event of a stream.
    const line = text.startsWith('{') ? text : (text.match(/^data: (.*)$/gm)?.at(-1) ?? '');
    const { result } = JSON.parse(line.replace(/^data: /, ''));
    assert.ok(result?.structuredContent !== undefined, text);
    return result.structuredContent as Record<string, unknown>;
  };
  return {
    ask,
    doors: [
      { name: 'API', exec: overApi },
      { name: 'MCP', exec: overMcp },
    ],
  };
}

function howOf(ask: 'always' | undefined, host: string | undefined): object {
  return { ...(ask === undefined ? {} : { ask }), ...(host === undefined ? {} : { host }) };
}
