/*
 * What is told of sessions, as lines of the log and as counts: one line and one count for each.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndedSession, SessionNews } from '@clawdfather/sessions';
import { parseAccountId } from '@clawdfather/store';
import { createMetrics, type GaugeValues } from '../../src/observe/metrics.ts';
import { createSessionLines } from '../../src/observe/session-lines.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const session = { accountId: parseAccountId('ann'), id: 's1' };
const about = { component: 'session', session_lease_id: 's1', account_id: 'ann' };

const gauges: GaugeValues = {
  activeSessions: 0,
  activeControlmasters: 0,
  connectedWebsockets: 0,
  lanes: [],
  turns: { running: 0, waiting: 0 },
  health: 'ok',
  stateFreeBytes: undefined,
  eventLoopLagSeconds: { median: 0, p99: 0, max: 0 },
  residentMemoryBytes: 0,
  openFds: undefined,
  startTimeSeconds: 0,
  cpuSeconds: 0,
};

function ended(end: Partial<EndedSession>): SessionNews {
  const usual = {
    error: undefined,
    wasActive: true,
    lifeMs: 120_000,
    idleMs: 7,
    traceId: undefined,
  };
  const wanted = { ...session, cause: 'closed', reason: 'user', ...usual } as const;
  return { type: 'ended', session: { ...wanted, ...end } };
}

const cases: readonly {
  readonly news: SessionNews;
  readonly lines: readonly Line[];
  readonly counts: readonly string[];
}[] = [
  {
    news: { type: 'started', session, agent: '(none)', traceId: 't' },
    lines: [['info', 'session.start', { ...about, trace_id: 't', agent: '(none)' }]],
    counts: ['clawdfather_session_start_total{result="ok"} 1'],
  },
  {
    news: { type: 'start-failed' },
    lines: [],
    counts: ['clawdfather_session_start_total{result="failed"} 1'],
  },
  {
    news: { type: 'adopted', session, epoch: 2, from: 'gateway-a' },
    lines: [['info', 'session.adopted', { ...about, epoch: 2, from: 'gateway-a' }]],
    counts: ['clawdfather_sessions_adopted_total 1'],
  },
  {
    news: ended({ traceId: 't' }),
    lines: [
      ['info', 'session.close', { ...about, trace_id: 't', reason: 'user', duration_ms: 120_000 }],
    ],
    counts: [
      'clawdfather_session_close_total{reason="user"} 1',
      'clawdfather_session_duration_minutes_sum 2',
      'clawdfather_orphan_sessions_cleaned_total 0',
    ],
  },
  {
    news: ended({ cause: 'idle', reason: 'timeout' }),
    lines: [['info', 'session.timeout', { ...about, idle_ms: 7 }]],
    counts: [
      'clawdfather_session_close_total{reason="timeout"} 1',
      'clawdfather_orphan_sessions_cleaned_total 0',
    ],
  },
  {
    news: ended({ cause: 'lost', reason: 'timeout' }),
    lines: [['info', 'session.timeout', { ...about, idle_ms: 7 }]],
    counts: [
      'clawdfather_session_close_total{reason="timeout"} 1',
      'clawdfather_orphan_sessions_cleaned_total 1',
    ],
  },
  {
    news: ended({ cause: 'lost', reason: 'error', error: 'it was lost' }),
    lines: [['error', 'session.error', { ...about, error_type: 'runtime', error: 'it was lost' }]],
    counts: [
      'clawdfather_session_error_total{error_type="runtime"} 1',
      'clawdfather_orphan_sessions_cleaned_total 1',
      'clawdfather_session_duration_minutes_count 0',
    ],
  },
];

test('each piece of news has its line and its counts', async () => {
  for (const { news, lines, counts } of cases) {
    const written: Line[] = [];
    createSessionLines(recordingLog(written))(news);
    assert.deepEqual(written, lines);
    const metrics = createMetrics();
    metrics.sessions(news);
    const { text } = await metrics.format(gauges);
    const found = text.split('\n');
    for (const count of counts) assert.ok(found.includes(count), `${count}\n${text}`);
  }
});
