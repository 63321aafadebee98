/*
 * What happens with hosts, for the log, the metrics and the spans (docs/observability.md). No command and no output is in it.
 *
 * A command's span belongs to what started the command. One that outlives its gateway has none: its end is seen by another process.
 */
import type { Log } from '@clawdfather/kit';
import type { MasterCause } from '@clawdfather/ssh';
import type { CommandHash } from '../observe/command-hash.ts';
import { logDocumented } from '../observe/log-events.ts';
import type { SshObserver } from '../observe/metrics.ts';
import type { EndableSpan, Tracing } from '../observe/tracing.ts';
import type { BegunCommand, EndedCommand } from './host-commands.ts';
import type { HostObserver, HostSessionName, LiveHost } from './host-sessions.ts';

export interface FullHostObserver extends HostObserver {
  commandStarted(host: LiveHost, command: BegunCommand): void;
  commandEnded(host: LiveHost, command: EndedCommand): void;
}

export interface HostObserverDeps {
  readonly log: Log;
  readonly metrics: SshObserver;
  readonly commandHash: CommandHash;
  readonly tracing: Pick<Tracing, 'openSpan'>;
}

type About = (session: HostSessionName, connectionId: string) => Log;

export function createHostObserver(deps: HostObserverDeps): FullHostObserver {
  const { log } = deps;
  const about: About = (session, connectionId) =>
    log.child({
      component: 'ssh',
      session_lease_id: session.id,
      account_id: session.accountId,
      connection_id: connectionId,
    });
  return {
    connecting: createConnecting(deps, about),
    missed: ({ session, connectionId }, count) =>
      logDocumented(about(session, connectionId), 'ssh.keepalive.failed', { missed_count: count }),
    disconnected: ({ session, connectionId }, { cause }) =>
      logDocumented(about(session, connectionId), 'ssh.disconnect', {
        reason: reasonOf(cause),
        cause,
      }),
    ...createCommandObserver(deps, about),
  };
}

function createConnecting(
  { metrics, tracing }: HostObserverDeps,
  about: About,
): HostObserver['connecting'] {
  return ({ host, port, user: username, connectionId }, session) => {
    const where = { host, port };
    const log = about(session, connectionId);
    logDocumented(log, 'ssh.connect.start', { ...where, username });
    const span = tracing.openSpan({ name: 'ssh.connect', attributes: where });
    return {
      connected: (latencyMs) => {
        metrics.connected(latencyMs);
        logDocumented(log, 'ssh.connect.success', { ...where, latency_ms: latencyMs });
        span.end();
      },
      refused: ({ cause, stderr }) => {
        logDocumented(log, 'ssh.connect.failed', { ...where, error: cause, stderr });
        span.fail(cause);
        span.end();
      },
    };
  };
}

function createCommandObserver(
  { metrics, commandHash, tracing }: HostObserverDeps,
  about: About,
): Pick<FullHostObserver, 'commandStarted' | 'commandEnded'> {
  /* Of commands that run, by the ids of their runs. */
  const spans = new Map<string, EndableSpan<'ssh.exec'>>();
  return {
    commandStarted: ({ session, connectionId }, { runId, shownAs }) => {
      const attributes = { command_hash: commandHash(shownAs) };
      spans.set(runId, tracing.openSpan({ name: 'ssh.exec', attributes }));
      logDocumented(about(session, connectionId), 'ssh.exec.start', attributes);
    },
    commandEnded: ({ session, connectionId }, command) => {
      const { result, code, durationMs, timeoutMs = durationMs } = command;
      metrics.executed({ result, durationMs });
      const log = about(session, connectionId);
      if (result === 'timeout') {
        const hash = commandHash(command.shownAs);
        logDocumented(log, 'ssh.exec.timeout', { timeout_ms: timeoutMs, command_hash: hash });
      } else {
        logDocumented(log, 'ssh.exec.complete', {
          exit_code: code ?? null,
          duration_ms: durationMs,
          stdout_bytes: command.stdoutBytes,
          stderr_bytes: command.stderrBytes,
        });
      }
      const span = spans.get(command.runId);
      spans.delete(command.runId);
      // A code is an answer, whichever it is.
      if (code === undefined) span?.fail(result);
      else span?.set({ exit_code: code });
      span?.end();
    },
  };
}

function reasonOf(cause: MasterCause): 'exit' | 'error' | 'keepalive' {
  if (cause === 'keepalive') return 'keepalive';
  const isAsked = cause === 'closed' || cause === 'key-revoked' || cause === 'pin-changed';
  return isAsked ? 'exit' : 'error';
}
