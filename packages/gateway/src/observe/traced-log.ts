/*
 * Puts the trace into every line that a request, a socket message or a run has caused.
 *
 * A run outlives the request that started it and the gateway as well, so its trace is a label of the run (`trace`), and so is
 * its account (`account`). They are looked up when a line names a run (`runId`), and remembered while lines about it come. For
 * such a line the run's trace counts, also where another request made it come. Every other line has that of the request or
 * message that is being worked on, if any.
 */
import { isId, type Log, type LogFields, makeRoom } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import { accountLabel, traceLabel } from '@clawdfather/supervisor/origins';
import type { CurrentTrace } from './current-trace.ts';

export type RunLabels = Readonly<Record<string, string>>;
/* `undefined` when no such run is known (any more). */
export type FindLabels = (runId: RunId) => RunLabels | undefined;

/* More than run at once on one machine; a forgotten one is looked up again. */
const rememberedMax = 1_000;
/* What a start finds before labels can be looked up; more runs than that are told of without. */
const earlyLinesMax = 1_000;

export interface TracedLog {
  readonly log: Log;
  /* Until the registry can be asked, lines about runs wait: a start adopts runs before it has a supervisor to ask. */
  readonly open: (find: FindLabels) => void;
}

export function createTracedLog(log: Log, current: Pick<CurrentTrace, 'get'>): TracedLog {
  const remembered = new Map<string, LogFields>();
  let find: FindLabels | undefined;
  let early: (() => void)[] = [];

  const factsOf = (runId: string): LogFields => {
    const known = remembered.get(runId);
    if (known !== undefined) return known;
    const labels = find?.(runId as RunId);
    // Not there yet: the next line may know.
    if (labels === undefined) return {};
    const facts = factsOfLabels(labels);
    makeRoom(remembered, rememberedMax);
    remembered.set(runId, facts);
    return facts;
  };

  const wrap = (inner: Log, boundRun: string | undefined): Log => {
    const at =
      (level: 'event' | 'debug' | 'warn' | 'error') =>
      (name: string, fields: LogFields = {}): void => {
        const runId = runOf(fields) ?? boundRun;
        const traceId = current.get()?.traceId;
        const here = traceId === undefined ? {} : { trace_id: traceId };
        if (runId === undefined) return inner[level](name, { ...here, ...fields });
        const say = (): void => inner[level](name, { ...here, ...factsOf(runId), ...fields });
        if (find === undefined && early.length < earlyLinesMax) early.push(say);
        else say();
      };
    return {
      event: at('event'),
      debug: at('debug'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => wrap(inner.child(fields), runOf(fields) ?? boundRun),
    };
  };

  return {
    log: wrap(log, undefined),
    open: (labelsOf) => {
      find = labelsOf;
      for (const say of early) say();
      early = [];
    },
  };
}

function runOf({ runId }: LogFields): string | undefined {
  return typeof runId === 'string' ? runId : undefined;
}

function factsOfLabels(labels: RunLabels): LogFields {
  const { [traceLabel]: trace, [accountLabel]: account } = labels;
  return {
    ...(trace === undefined ? {} : { trace_id: trace }),
    // Runs of the command line have a word there instead of an account.
    ...(account !== undefined && isId(account) ? { account_id: account } : {}),
  };
}
