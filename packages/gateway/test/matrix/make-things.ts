/*
 * One of everything, made by an account through the API itself.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestGateway } from '../fixtures/open-test-gateway.ts';
import type { Made } from './rows.ts';
import { everyEndpoint, send, type CallParts } from './send.ts';

export async function makeThings(rig: TestGateway): Promise<Made> {
  const asOwner = asAccount(rig.url, rig.owner.token);
  const token = await asOwner('tokens.create', {
    body: { label: 'agent', scopes: ['read', 'run'] },
  });
  const key = await asOwner('keys.create', { body: { label: 'first' } });
  const connection = await asOwner('connections.create', {
    body: { label: 'mine', host: 'mine.example', username: 'me', keypair_id: key.key.id },
  });
  const session = await asOwner('sessions.create', { body: {} });
  const run = await asOwner('runs.create', { body: { argv: ['sleep', '600'] } });
  // A token is an agent's, and this is not on its list: it is held until a person decides.
  const held = await asAccount(rig.url, token.token)('runs.create', {
    body: { argv: ['touch', 'held'] },
  });
  assert.equal(held.status, 'approval-pending');
  const other = await asAccount(rig.url, token.token)('runs.create', {
    body: { argv: ['mkdir', '-p', 'allowed'] },
  });
  await asOwner('approvals.decide', {
    params: { id: other.approvalId },
    body: { decision: 'allow-always' },
  });
  const rules = await asOwner('approvalRules.list', {});
  const { thread } = await asOwner('threads.create', { body: { agent: 'echo' } });
  const { turn } = await asOwner('threads.prompt', {
    params: { id: thread.id },
    body: { text: 'ask: rm x' },
  });
  const ask = await firstAsk(asOwner, thread.id);
  const artifactId = await makeArtifact(rig, asOwner);
  const { turn: queued } = await asOwner('threads.prompt', {
    params: { id: thread.id },
    body: { text: 'and then?' },
  });
  const { login_code: loginCode } = await asOwner('loginCodes.create', {});
  const { upload } = await asOwner('uploads.create', { body: { name: 'a.png', size: 1 } });
  return {
    uploadId: upload.id,
    loginCodeId: loginCode.id,
    queuedTurnId: queued.id,
    threadId: thread.id,
    turnId: turn.id,
    askId: ask,
    noticeId: await firstNotice(asOwner),
    artifactId,
    runId: run.runId,
    approvalId: held.approvalId,
    ruleId: rules.items[0].id,
    keyId: key.key.id,
    connectionId: connection.connection.id,
    sessionId: session.session.id,
    deviceId: rig.owner.deviceId,
    tokenId: token.id,
  };
}

/* The agent asks when it has started. */
async function firstAsk(asOwner: ReturnType<typeof asAccount>, threadId: string): Promise<string> {
  for (let after = 0; ; ) {
    const query = { after: String(after), wait_ms: '20000' };
    const page = await asOwner('threads.events', { params: { id: threadId }, query });
    for (const { seq, type, payload } of page.items) {
      if (type === 'approval') return payload.ask;
      after = seq;
    }
  }
}

/* Made in the transaction of the ask. */
async function firstNotice(asOwner: ReturnType<typeof asAccount>): Promise<string> {
  const { items } = await asOwner('notices.list', {});
  return items[0].id;
}

/* Of a turn that has ended. */
async function makeArtifact(
  { directory }: TestGateway,
  asOwner: ReturnType<typeof asAccount>,
): Promise<string> {
  const place = join(directory, 'project');
  await mkdir(join(place, 'reports'), { recursive: true });
  await writeFile(join(place, 'reports/one.txt'), 'one');
  const { thread } = await asOwner('threads.create', { body: { agent: 'echo', directory: place } });
  const params = { id: thread.id };
  await asOwner('threads.prompt', { params, body: { text: 'hello' } });
  for (let after = 0; ; ) {
    const query = { after: String(after), wait_ms: '20000' };
    const page = await asOwner('threads.events', { params, query });
    for (const { seq, type, payload } of page.items) {
      if (type === 'artifact') return payload.items[0].id;
      after = seq;
    }
  }
}

export function asAccount(url: string, token: string) {
  // Answers of many shapes; a wrong path fails where it is used.
  // oxlint-disable-next-line typescript/no-explicit-any
  return async (name: string, call: CallParts): Promise<any> => {
    const endpoint = everyEndpoint.find(([known]) => known === name)?.[1];
    assert.ok(endpoint, name);
    const { status, text } = await send({ url, token }, endpoint, call);
    assert.ok(status < 300, `${name}: ${status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}
