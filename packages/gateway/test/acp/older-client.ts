/*
 * What an older client sends, in its order, and what it has to be told. It was written from the documents about such clients (their methods, their
 * parameter names, how they recover), not taken down from a running one.
 *
 * A text such as `$turn` stands for what an earlier answer had there: `keep` names a path in an answer. `$directory` and the like are the
 * player's.
 */

export interface Step {
  readonly does: 'call' | 'stream' | 'poll' | 'write-file' | 'kill-gateway' | 'download';
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /* Of a stream: it is lost after an update with this event. */
  readonly losesItAfter?: string;
  /* Of a poll: until the status is one of these, which are the ends that the client knows. */
  readonly until?: readonly string[];
  /* Parts of the answer, or of the last update of a stream. */
  readonly expects?: Readonly<Record<string, unknown>>;
  readonly keeps?: Readonly<Record<string, string>>;
  /* Of a stream: the events of its updates, in order, with others between them. */
  readonly events?: readonly string[];
}

const ends = ['completed', 'failed', 'cancelled', 'not_found'] as const;
const thread = { appThreadKey: 'thread/2f1c', openclawSessionKey: 'agent:main:2f1c' } as const;

export const recording: readonly Step[] = [
  {
    does: 'call',
    method: 'xworkmate.capabilities',
    expects: { permissionRelay: true, 'availableExecutionTargets.0': 'gateway' },
  },
  {
    does: 'stream',
    method: 'session.start',
    params: {
      ...thread,
      sessionId: 'session/2f1c',
      taskPrompt: 'ask: write the report\nthe report is written',
      workingDirectory: '$directory',
      clientRequestId: 'request-1',
      routing: { executionTarget: 'gateway', provider: 'echo' },
      metadata: { app: 'older', build: 412, nested: { anything: [1, 2, 3] } },
    },
    losesItAfter: 'task.permission_requested',
    events: ['task.selected', 'task.started', 'task.permission_requested'],
    keeps: { turn: 'turnId' },
  },
  { does: 'kill-gateway' },
  // It does not know whether its request was taken in, and sends it again.
  {
    does: 'call',
    method: 'session.start',
    params: {
      ...thread,
      taskPrompt: 'ask: write the report\nthe report is written',
      workingDirectory: '$directory',
      clientRequestId: 'request-1',
    },
    expects: { turnId: '$turn' },
  },
  {
    does: 'call',
    method: 'xworkmate.tasks.get',
    params: { ...thread, taskId: '$turn' },
    expects: { ok: true, status: 'running', turnId: '$turn' },
  },
  {
    does: 'poll',
    method: 'xworkmate.permissions.list',
    params: { ...thread },
    expects: { 'items.0.turnId': '$turn' },
    keeps: { request: 'items.0.requestId', option: 'items.0.options.0.optionId' },
  },
  { does: 'write-file' },
  {
    does: 'call',
    method: 'xworkmate.permissions.respond',
    params: { ...thread, requestId: '$request', optionId: '$option' },
    expects: { ok: true, requestId: '$request' },
  },
  {
    does: 'poll',
    method: 'xworkmate.tasks.get',
    params: { ...thread, taskId: '$turn' },
    until: ends,
    expects: { status: 'completed', 'result.code': 'success' },
  },
  {
    does: 'poll',
    method: 'xworkmate.tasks.get',
    params: { ...thread, taskId: '$turn', includeArtifacts: true },
    expects: { 'artifactSync.status': 'synced', 'artifacts.0.relativePath': 'reports/report.txt' },
    keeps: { address: 'artifacts.0.downloadUrl', sha256: 'artifacts.0.sha256' },
  },
  { does: 'download' },
  // Its agent dies: older clients do not know the word for it, and would poll for ever.
  {
    does: 'stream',
    method: 'session.message',
    params: { ...thread, taskPrompt: 'crash', clientRequestId: 'request-2' },
    events: ['task.selected', 'task.started', 'task.failed'],
    keeps: { crashed: 'turnId' },
    expects: { status: 'failed', 'result.code': 'ACP_BRIDGE_RESTART' },
  },
  {
    does: 'call',
    method: 'xworkmate.tasks.get',
    params: { ...thread, taskId: '$crashed' },
    expects: { status: 'failed', 'result.code': 'ACP_BRIDGE_RESTART', 'result.status': 'failed' },
  },
  {
    does: 'call',
    method: 'xworkmate.tasks.get',
    params: { appThreadKey: 'a thread of before', taskId: 'gone' },
    expects: { ok: false, status: 'not_found', code: 'ACP_SESSION_NOT_FOUND' },
  },
  {
    does: 'stream',
    method: 'session.message',
    params: { ...thread, taskPrompt: 'ask: more', clientRequestId: 'request-3' },
    losesItAfter: 'task.permission_requested',
    keeps: { last: 'turnId' },
  },
  {
    does: 'call',
    method: 'xworkmate.tasks.cancel',
    params: { ...thread, taskId: '$last' },
    expects: { accepted: true },
  },
  {
    does: 'poll',
    method: 'xworkmate.tasks.get',
    params: { ...thread, taskId: '$last' },
    until: ends,
    expects: { status: 'cancelled', 'result.code': 'aborted' },
  },
];
