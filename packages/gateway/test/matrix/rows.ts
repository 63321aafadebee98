/*
 * One row per endpoint: a good call, and what another account may learn from it. Both the two-account matrix and the fuzzing
 * walk these; an endpoint without a row fails the build.
 */
import { pagePaths } from '../../src/app/serve-app.ts';
import type { CallParts } from './send.ts';

/* Ids of things that the first account has. */
export interface Made {
  readonly runId: string;
  readonly approvalId: string;
  readonly ruleId: string;
  readonly keyId: string;
  readonly connectionId: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly tokenId: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly queuedTurnId: string;
  readonly askId: string;
  readonly noticeId: string;
  readonly artifactId: string;
  readonly loginCodeId: string;
  readonly uploadId: string;
}

export interface Row {
  /*
   * `names`: a thing by its id; to others it is missing. `lists`: shows one's own. `makes`: makes one's own. `self`: about whoever
   * asks. `open`: the same for everybody. `agents`: for the key of an agent alone, whose two accounts have a test of their own
   * (test/agents/sessions-of-agent.test.ts).
   */
  readonly kind: 'names' | 'lists' | 'makes' | 'self' | 'open' | 'agents';
  readonly call?: (made: Made) => CallParts;
}

const byRun = ({ runId }: Made): CallParts => ({ params: { id: runId } });
const byKey = ({ keyId }: Made): CallParts => ({ params: { id: keyId } });
const byConnection = ({ connectionId }: Made): CallParts => ({ params: { id: connectionId } });
const bySession = ({ sessionId }: Made): CallParts => ({ params: { id: sessionId } });
const byRule = ({ ruleId }: Made): CallParts => ({ params: { id: ruleId } });
const byThread = ({ threadId }: Made): CallParts => ({ params: { id: threadId } });
const byTurn = ({ turnId }: Made): CallParts => ({ params: { id: turnId } });
const byQueued = ({ queuedTurnId }: Made): CallParts => ({ params: { id: queuedTurnId } });
const byAsk = ({ askId }: Made): CallParts => ({ params: { id: askId } });
const byCode = ({ loginCodeId }: Made): CallParts => ({ params: { id: loginCodeId } });
const byUpload = ({ uploadId }: Made): CallParts => ({ params: { id: uploadId } });
const withBody =
  (call: (made: Made) => CallParts, body: unknown) =>
  (made: Made): CallParts => ({ ...call(made), body });

/* As a browser gives it; the keys are those of RFC 8291. */
const someSubscription = {
  key_id: '0123456789abcdef',
  endpoint: 'https://fcm.googleapis.com/fcm/send/nobody',
  keys: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};

export const rows: Readonly<Record<string, Row>> = {
  'auth.loginLink': { kind: 'open', call: () => ({ body: { link: 'x'.repeat(43) } }) },
  'auth.startGithub': { kind: 'open', call: () => ({ body: {} }) },
  'auth.finishGithub': { kind: 'open', call: () => ({ query: { code: 'c', state: 's' } }) },
  'auth.ways': { kind: 'open' },
  'auth.me': { kind: 'self' },
  'auth.signOut': { kind: 'self' },
  'auth.devices': { kind: 'lists' },
  'auth.revokeOtherDevices': { kind: 'self' },
  'auth.renameDevice': {
    kind: 'names',
    call: ({ deviceId }) => ({ params: { id: deviceId }, body: { device: 'another' } }),
  },
  'auth.revokeDevice': {
    kind: 'names',
    call: ({ deviceId }) => ({ params: { id: deviceId } }),
  },
  'loginCodes.create': { kind: 'makes' },
  'loginCodes.get': { kind: 'names', call: byCode },
  'loginCodes.decide': { kind: 'names', call: withBody(byCode, { decision: 'confirm' }) },
  'loginCodes.claim': { kind: 'open', call: () => ({ body: { code: 'ABCD-EFGH' } }) },
  'loginCodes.finish': { kind: 'open', call: () => ({ body: { claim: 'x'.repeat(43) } }) },
  'tokens.list': { kind: 'lists' },
  'tokens.create': {
    kind: 'makes',
    call: () => ({ body: { label: 'a token', scopes: ['read'] } }),
  },
  'tokens.revoke': { kind: 'names', call: ({ tokenId }) => ({ params: { id: tokenId } }) },
  'keys.list': { kind: 'lists' },
  'keys.create': { kind: 'makes', call: () => ({ body: { label: 'a key' } }) },
  'keys.rotate': { kind: 'names', call: byKey },
  'keys.installCommand': { kind: 'names', call: byKey },
  'keys.remove': { kind: 'names', call: byKey },
  'connections.list': { kind: 'lists' },
  'connections.get': { kind: 'names', call: byConnection },
  'connections.create': {
    kind: 'makes',
    // Another account's key is as good as none: this is refused for whoever has not made it.
    call: ({ keyId }) => ({
      body: { label: 'box', host: 'box.example', username: 'deploy', keypair_id: keyId },
    }),
  },
  'connections.update': { kind: 'names', call: withBody(byConnection, { label: 'other box' }) },
  'connections.setPolicy': { kind: 'names', call: withBody(byConnection, { policy: 'full' }) },
  'connections.remove': { kind: 'names', call: byConnection },
  'connections.probe': { kind: 'self', call: () => ({ body: { host: 'box.example' } }) },
  'connections.test': { kind: 'names', call: withBody(byConnection, {}) },
  'directories.suggest': {
    kind: 'names',
    call: ({ connectionId }) => ({ query: { connection_id: connectionId } }),
  },
  'sessions.list': { kind: 'lists' },
  'sessions.create': { kind: 'makes', call: () => ({ body: {} }) },
  'sessions.get': { kind: 'names', call: bySession },
  'sessions.close': { kind: 'names', call: bySession },
  // For whoever runs the machine; everybody else is refused.
  'sessions.closeAll': { kind: 'self' },
  'agents.list': { kind: 'open' },
  'agents.choices': {
    kind: 'names',
    call: ({ connectionId }) => ({
      params: { name: 'echo' },
      query: { connection_id: connectionId },
    }),
  },
  'threads.list': { kind: 'lists' },
  'threads.create': { kind: 'makes', call: () => ({ body: {} }) },
  'threads.get': { kind: 'names', call: byThread },
  'threads.events': { kind: 'names', call: byThread },
  'threads.prompt': { kind: 'names', call: withBody(byThread, { text: 'hello' }) },
  'threads.archive': { kind: 'names', call: byThread },
  'threads.unarchive': { kind: 'names', call: byThread },
  'threads.edit': {
    kind: 'names',
    call: withBody(byThread, { title: 'another', is_pinned: true, chosen: { mode: 'code' } }),
  },
  'threads.choices': { kind: 'names', call: byThread },
  'turns.get': { kind: 'names', call: byTurn },
  'turns.cancel': { kind: 'names', call: byTurn },
  'artifacts.ofTurn': { kind: 'names', call: byTurn },
  'artifacts.download': {
    kind: 'names',
    call: ({ artifactId }) => ({
      params: { id: artifactId },
      query: { expires: 9_999_999_999, signature: 'x'.repeat(43) },
    }),
  },
  'uploads.create': { kind: 'makes', call: () => ({ body: { name: 'a.png', size: 1 } }) },
  'uploads.append': {
    kind: 'names',
    call: ({ uploadId }) => ({
      params: { id: uploadId },
      query: { offset: 0 },
      body: new TextEncoder().encode('x'),
    }),
  },
  'uploads.get': { kind: 'names', call: byUpload },
  'uploads.remove': { kind: 'names', call: byUpload },
  'history.page': { kind: 'names', call: byThread },
  'history.receipt': { kind: 'names', call: byThread },
  'history.verify': { kind: 'names', call: byThread },
  'history.changes': { kind: 'names', call: byTurn },
  'history.fileChanges': {
    kind: 'names',
    call: ({ turnId }) => ({ params: { id: turnId, n: '1' } }),
  },
  'history.event': {
    kind: 'names',
    call: ({ threadId }) => ({ params: { id: threadId, seq: '1' } }),
  },
  'queue.list': { kind: 'lists' },
  'queue.move': { kind: 'names', call: withBody(byQueued, { before: null }) },
  'queue.edit': { kind: 'names', call: withBody(byQueued, { text: 'something else' }) },
  'asks.list': { kind: 'lists' },
  'asks.get': { kind: 'names', call: byAsk },
  'asks.answer': { kind: 'names', call: withBody(byAsk, { action: 'cancel' }) },
  'agentSessions.list': { kind: 'agents' },
  'agentSessions.spawn': { kind: 'agents', call: () => ({ body: { task: 'do it' } }) },
  'agentSessions.status': { kind: 'agents', call: byThread },
  'agentSessions.history': { kind: 'agents', call: byThread },
  'agentSessions.send': { kind: 'agents', call: withBody(byThread, { text: 'hello' }) },
  'agentSessions.receipt': { kind: 'agents', call: byTurn },
  'runs.list': { kind: 'lists' },
  'runs.create': { kind: 'makes', call: () => ({ body: { argv: ['true'] } }) },
  'runs.get': { kind: 'names', call: byRun },
  'runs.output': { kind: 'names', call: byRun },
  'runs.screen': { kind: 'names', call: byRun },
  'runs.wait': {
    kind: 'names',
    call: ({ runId }) => ({ params: { id: runId }, query: { timeoutMs: 1 } }),
  },
  'runs.input': { kind: 'names', call: withBody(byRun, { data: 'x' }) },
  'runs.keys': { kind: 'names', call: withBody(byRun, { literal: 'x' }) },
  'runs.resize': { kind: 'names', call: withBody(byRun, { cols: 80, rows: 24 }) },
  'runs.signal': { kind: 'names', call: withBody(byRun, { signal: 'SIGCONT' }) },
  'runs.cancel': { kind: 'names', call: withBody(byRun, {}) },
  'runs.remove': { kind: 'names', call: byRun },
  'approvals.list': { kind: 'lists' },
  'approvals.get': { kind: 'names', call: ({ approvalId }) => ({ params: { id: approvalId } }) },
  'approvals.rules': { kind: 'names', call: ({ approvalId }) => ({ params: { id: approvalId } }) },
  'approvals.decide': {
    kind: 'names',
    call: ({ approvalId }) => ({ params: { id: approvalId }, body: { decision: 'deny' } }),
  },
  'approvalRules.list': { kind: 'lists' },
  'approvalRules.get': { kind: 'names', call: byRule },
  'approvalRules.revoke': { kind: 'names', call: byRule },
  'events.list': { kind: 'lists' },
  'seen.mark': { kind: 'names', call: withBody(byThread, { seq: 1 }) },
  'inbox.get': { kind: 'lists' },
  'notices.list': { kind: 'lists' },
  'notices.see': { kind: 'names', call: ({ noticeId }) => ({ params: { id: noticeId } }) },
  // For whoever runs the machine; everybody else is refused.
  'notices.test': { kind: 'self' },
  'push.get': { kind: 'self' },
  // With a key that this gateway does not have: nothing is ever sent.
  'push.subscribe': { kind: 'self', call: () => ({ body: someSubscription }) },
  'push.update': { kind: 'self', call: () => ({ body: { classes: { done: false } } }) },
  'push.unsubscribe': { kind: 'self' },
  'push.test': { kind: 'self' },
  'presence.report': { kind: 'self', call: () => ({ body: { state: 'visible' } }) },
  'settings.get': { kind: 'self' },
  'settings.update': { kind: 'self', call: () => ({ body: { idle_timeout_seconds: 600 } }) },
  'audit.list': { kind: 'lists' },
  'system.health': { kind: 'open' },
  'system.ready': { kind: 'open' },
  'system.metrics': { kind: 'open' },
};

/* Files of the app whose names stay the same from build to build. */
const appFiles = [
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'icon.svg',
  'manifest.webmanifest',
  'sw.js',
];

/*
 * Routes that are no endpoints: the app and documents, which are the same for everybody, and MCP and JSON-RPC, whose two accounts have
 * tests of their own (test/mcp/two-accounts.test.ts, test/acp/rpc-accounts.test.ts).
 */
export const pages: readonly string[] = [
  'DELETE /mcp',
  'GET /api/docs',
  'GET /api/docs.css',
  'GET /api/openapi.json',
  ...pagePaths.map((path) => `GET ${path}`),
  'GET /app/:name',
  ...appFiles.map((name) => `GET /${name}`),
  'GET /mcp',
  'POST /acp/rpc',
  'POST /mcp',
];
