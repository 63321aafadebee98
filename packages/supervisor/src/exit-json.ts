/*
 * How a run ended, as JSON: the form that the command line and the API have in common. What is absent is null, moments are ISO 8601
 * in UTC, processes are named by their command.
 */
import type { ProcessNote, RunExit, TreeEnd } from './run-end.ts';

export type ExitJson = ReturnType<typeof exitJson>;

export function exitJson(exit: RunExit) {
  const { usage } = exit;
  return {
    reason: exit.reason,
    code: exit.code ?? null,
    signal: exit.signal ?? null,
    actor: exit.actor ?? null,
    detail: exit.detail ?? null,
    hostCause: exit.hostCause ?? null,
    coreDumped: exit.coreDumped,
    startedAt: exit.startedAtMs === undefined ? null : formatTime(exit.startedAtMs),
    endedAt: formatTime(exit.endedAtMs),
    lastSeenAt: exit.lastSeenAtMs === undefined ? null : formatTime(exit.lastSeenAtMs),
    durationMs: exit.durationMs ?? null,
    usage:
      usage === undefined
        ? null
        : {
            userMs: usage.userUs / 1_000,
            systemMs: usage.systemUs / 1_000,
            maxRssBytes: usage.maxRssBytes,
            readBytes: usage.readBytes,
            writeBytes: usage.writeBytes,
          },
    killed: { ...exit.killed },
    escapees: exit.escapees,
    leftovers: exit.leftovers.map(named),
    survivors: exit.survivors.map(named),
    undrainedBytes: exit.undrainedBytes,
    failure: exit.failure === undefined ? null : { ...exit.failure },
    cursor: exit.cursor,
    treeEnd: exit.treeEnd === undefined ? null : treeEndJson(exit.treeEnd),
  };
}

function treeEndJson({ endedAtMs, reason, actor, killed }: TreeEnd) {
  return { endedAt: formatTime(endedAtMs), reason, actor: actor ?? null, killed: { ...killed } };
}

function named({ pid, comm }: ProcessNote) {
  return { pid, command: comm };
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
