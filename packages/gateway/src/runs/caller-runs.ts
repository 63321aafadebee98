/*
 * What one caller can do with runs. Every way to a run leads through here: HTTP, event streams, sockets and MCP translate their
 * wires to these actions, and decide nothing themselves.
 *
 * Stages of an action: 1 the scope (`read` to look, `run` for the rest) · 2 the run, if the caller sees it (whose-runs.ts); if its
 * owner is gone, it is taken over · 3 whether the caller may drive it (may-drive.ts) or end it (may-end.ts) ·
 * 4 the audit log (run-audit.ts) · 5 the action of the tools. A stage that refuses ends the action.
 *
 * A class, because there is one per request.
 */
import { processLimits } from '@clawdfather/protocol';
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import type { AnswerOf, Api, RequestOf } from '@clawdfather/protocol/api';
import type { RunExit, RunRecord } from '@clawdfather/supervisor';
import { type RunActions, summaryOf, summaryOfHeld, type ToolCall } from '@clawdfather/tools';
import type { FairTurns } from '../accounts/fair-turns.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import { actorNames } from './actor-names.ts';
import { findHost } from './find-host.ts';
import { findRun, type FoundRun, idOf, type Looker, startedOf } from './find-run.ts';
import { giveInput } from './give-input.ts';
import { createLastLines, type LastLines } from './last-line.ts';
import { type ListedRuns, listRuns, type RunPage, stalledOf } from './list-runs.ts';
import { checkMayDrive } from './may-drive.ts';
import { checkMayHaveTools } from './may-have-tools.ts';
import { checkMayEnd, endableOf, endableOfHeld } from './may-end.ts';
import { readOutputPage } from './output-page.ts';
import { type EndingAction, recordEnding } from './run-audit.ts';
import { type Asking, callAbout, callOf, type RequestOrigin } from './run-call.ts';
import { detailJson, heldJson, type RunJson, runJson, useJson } from './run-json.ts';
import { createStartRun, type StartDeps, type StartOptions, type StartRun } from './start-run.ts';
import { waitForEnd } from './wait-for-end.ts';

type Params<Name extends keyof RunActions> = Parameters<RunActions[Name]>[0];
type Result<Name extends keyof RunActions> = ReturnType<RunActions[Name]>;
type Named = { readonly runId: string };
type Act<P, R> = (params: P, call: ToolCall) => Promise<R>;

export type RunsFor = (caller: Caller, origin: RequestOrigin) => CallerRuns;

/* `host` as a caller names it. */
type PageQuery = Omit<RunPage, 'host'> & { readonly host?: string | undefined };

interface CallerRunsDeps extends StartDeps {
  readonly start: StartRun;
  readonly lastLines: LastLines;
}

export function createRunsFor(deps: StartDeps & { readonly turns: FairTurns }): RunsFor {
  const all = { ...deps, start: createStartRun(deps), lastLines: createLastLines() };
  return (caller, origin) =>
    new CallerRuns(all, { caller, origin, breathe: () => deps.turns.goOn(caller) });
}

/* Its members throw an `ApiError`, or what the tools and the supervisor throw. */
export class CallerRuns implements Omit<RunActions, 'exec'> {
  readonly #deps: CallerRunsDeps;
  readonly #asking: Asking;

  constructor(deps: CallerRunsDeps, asking: Asking) {
    this.#deps = deps;
    this.#asking = asking;
  }

  async start(params: ExecParams, options: StartOptions = {}): Promise<ExecResult> {
    this.#checkScope('run', 'exec');
    if (options.extras?.tools === true) checkMayHaveTools(this.#asking.caller);
    return this.#deps.start({ ...options, asking: this.#asking, params });
  }

  async page({
    host,
    ...page
  }: PageQuery): Promise<{ readonly items: RunJson[]; readonly total: number }> {
    const { accountId } = this.#asking.caller;
    const on =
      host === undefined ? {} : { host: await findHost(this.#deps.store, accountId, host) };
    const { held, records, stalls, uses, total } = await this.#listed({ ...page, ...on });
    const lastOf = async (record: RunRecord): ReturnType<LastLines['of']> => {
      if (page.last !== 'true') return {};
      const call = callAbout(this.#asking, { kind: 'run', record });
      const { supervisor } = this.#deps.runs;
      return this.#deps.lastLines.of({ actions: this.#actions, supervisor }, record, call);
    };
    const shown: RunJson[] = [];
    // One after the other: a hundred open journals at once are none the faster.
    for (const record of records) {
      shown.push({
        ...this.#json(record, stalls),
        ...useJson(uses.get(record.runId)),
        ...(await lastOf(record)),
      });
    }
    return { items: [...held.map(heldJson), ...shown], total };
  }

  async list({ state, limit = processLimits.listRows.usual }: Params<'list'>): Result<'list'> {
    const { held, records, stalls, total } = await this.#listed({ state, limit, offset: 0 });
    const shown = records.map((record) => ({ ...summaryOf(record), ...stalledOf(stalls, record) }));
    const runs = [...held.map(summaryOfHeld), ...shown];
    return { runs, isMore: total > runs.length };
  }

  async show(id: string): Promise<RunJson> {
    const found = this.#seen(id, 'get');
    if (found.kind === 'held') return heldJson(found.approval);
    if (found.kind === 'starting') throw notFound();
    const { record } = found;
    const { supervisor } = this.#deps.runs;
    const json = this.#json(record, await supervisor.stalls([record]));
    const names = await actorNames(this.#deps.store, this.#asking.caller, record);
    return { ...json, ...detailJson(record, supervisor.detail(record)), names };
  }

  /* Undefined when the time is up first, or it will never run. */
  async wait(id: string, forMs: number): Promise<RunExit | undefined> {
    const found = this.#seen(id, 'wait');
    const { signal } = this.#asking.origin;
    return waitForEnd(this.#deps, { found, asking: this.#asking }, { signal, forMs });
  }

  /* To follow its output. */
  look(id: string): RunRecord {
    return startedOf(this.#seen(id, 'look'));
  }

  async outputPage(
    id: string,
    query: RequestOf<Api['runs']['output']>['query'],
  ): Promise<AnswerOf<Api['runs']['output']>> {
    const record = this.look(id);
    const call = callAbout(this.#asking, { kind: 'run', record });
    const { supervisor } = this.#deps.runs;
    return readOutputPage({ actions: this.#actions, supervisor }, { record, call }, query);
  }

  async poll(params: Params<'poll'>): Result<'poll'> {
    const found = this.#seen(params.runId, 'poll');
    const { poll } = found.kind === 'starting' ? found.tools.actions : this.#actions;
    return poll({ ...params, runId: idOf(found) }, callAbout(this.#asking, found));
  }

  async log(params: Params<'log'>): Result<'log'> {
    return this.#about(this.look(params.runId), params, this.#actions.log);
  }

  async screen(params: Params<'screen'>): Result<'screen'> {
    return this.#about(this.look(params.runId), params, this.#actions.screen);
  }

  async paintScreen(params: Params<'paintScreen'>): Result<'paintScreen'> {
    return this.#about(this.look(params.runId), params, this.#actions.paintScreen);
  }

  /* To type into it for a while. Ask again before each input: it may have been removed since. */
  drive(id: string): RunRecord {
    return this.#driven(id, 'input');
  }

  /* At an offset, or typed. */
  async input(
    id: string,
    body: RequestOf<Api['runs']['input']>['body'],
  ): Promise<AnswerOf<Api['runs']['input']>> {
    const { runs, clock } = this.#deps;
    return giveInput({ supervisor: runs.supervisor, clock }, this.drive(id), body);
  }

  async write(params: Params<'write'>): Result<'write'> {
    return this.#about(this.#living(params, 'write'), params, this.#actions.write);
  }

  async sendKeys(params: Params<'sendKeys'>): Result<'sendKeys'> {
    return this.#about(this.#living(params, 'send-keys'), params, this.#actions.sendKeys);
  }

  async submit(params: Params<'submit'>): Result<'submit'> {
    return this.#about(this.#living(params, 'submit'), params, this.#actions.submit);
  }

  async paste(params: Params<'paste'>): Result<'paste'> {
    return this.#about(this.#living(params, 'paste'), params, this.#actions.paste);
  }

  async resize(params: Params<'resize'>): Result<'resize'> {
    return this.#about(this.#living(params, 'resize'), params, this.#actions.resize);
  }

  async signal(params: Params<'signal'>): Result<'signal'> {
    const record = this.#living(params, 'signal');
    const sent = await this.#about(record, params, this.#actions.signal);
    const { runId, signal } = sent;
    await recordEnding(this.#deps, this.#asking, {
      action: 'run.signal',
      runId,
      detail: { signal },
    });
    return sent;
  }

  /* Ends the whole tree; takes a held request back. */
  async kill(params: Params<'kill'>): Result<'kill'> {
    const found = this.#begun(params.runId) ?? this.#toEnd(params.runId, 'kill');
    const { kill } = found.kind === 'starting' ? found.tools.actions : this.#actions;
    return this.#ending('run.cancel', found, (runId, call) => kill({ ...params, runId }, call));
  }

  async remove(params: Params<'remove'>): Result<'remove'> {
    const found = this.#toEnd(params.runId, 'remove');
    return this.#ending('run.remove', found, (runId, call) =>
      this.#actions.remove({ runId }, call),
    );
  }

  /* Throws `run-running` for one that lives, and `run-held` for one that has not run. */
  async clear(params: Params<'clear'>): Result<'clear'> {
    const found = this.#toEnd(params.runId, 'clear');
    const runId = idOf(found);
    const cleared = await this.#actions.clear({ runId }, callAbout(this.#asking, found));
    await this.#record('run.remove', runId);
    return cleared;
  }

  /* Clears it, or takes it back if it is held. */
  async putAway({ runId }: Named): Result<'remove'> {
    if (this.#toEnd(runId, 'remove').kind === 'held') return this.remove({ runId });
    const { runId: cleared } = await this.clear({ runId });
    return { runId: cleared, isGone: true, survivors: [] };
  }

  get #actions(): RunActions {
    return this.#deps.runs.agentTools.actions;
  }

  get #looker(): Looker {
    const { caller, origin } = this.#asking;
    return { caller, reach: origin.reach };
  }

  #checkScope(needs: 'read' | 'run', what: string): void {
    const { caller } = this.#asking;
    // A caller that may start and drive commands sees their output anyway.
    if (caller.scopes.includes('run') || caller.scopes.includes(needs)) return;
    throw new ApiError('forbidden', `${what} needs the scope ${needs}, which this token has not`, {
      detail: { needs, has: caller.scopes },
      hint: 'A person can make a token with this scope: clf token create',
    });
  }

  #listed(page: RunPage): Promise<ListedRuns> {
    this.#checkScope('read', 'list');
    return listRuns(this.#deps.runs, this.#looker, page);
  }

  #json(record: RunRecord, stalls: ListedRuns['stalls']): RunJson {
    const { supervisor } = this.#deps.runs;
    const json = runJson(record, supervisor.inputOffset(record.runId));
    return { ...json, ...stalledOf(stalls, record) };
  }

  #find(named: string): FoundRun {
    const { runs } = this.#deps;
    const isWhole = this.#asking.origin.takesBeginnings !== true;
    const id = isWhole ? named : runs.agentTools.findId(named, callOf(this.#asking));
    return findRun(runs, this.#looker, id);
  }

  #seen(id: string, what: string): FoundRun {
    this.#checkScope('read', what);
    return this.#find(id);
  }

  #driven(id: string, what: string): RunRecord {
    this.#checkScope('run', what);
    const record = startedOf(this.#find(id));
    checkMayDrive(this.#asking.caller, record);
    return record;
  }

  #living({ runId }: Named, what: string): RunRecord {
    const record = this.#driven(runId, what);
    if (record.exit === undefined) return record;
    throw new ApiError('not_running', `run ${record.runId} has ended`);
  }

  /* It has not started yet, and may be given up. */
  #begun(id: string): Extract<FoundRun, { kind: 'starting' }> | undefined {
    this.#checkScope('run', 'kill');
    const found = this.#find(id);
    if (found.kind !== 'starting') return undefined;
    checkMayEnd(actorOf(this.#asking.caller), [found]);
    return found;
  }

  #toEnd(id: string, what: string): Exclude<FoundRun, { kind: 'starting' }> {
    this.#checkScope('run', what);
    const found = this.#find(id);
    const actor = actorOf(this.#asking.caller);
    if (found.kind === 'held') {
      checkMayEnd(actor, [endableOfHeld(found.approval)]);
      return found;
    }
    const record = startedOf(found);
    checkMayEnd(actor, [endableOf(record)]);
    return { kind: 'run', record };
  }

  #about<P extends Named, R>(record: RunRecord, params: P, act: Act<P, R>): Promise<R> {
    const call = callAbout(this.#asking, { kind: 'run', record });
    return act({ ...params, runId: record.runId }, call);
  }

  /* The entry is written while it happens: it may take long, and the caller may leave before its end. */
  async #ending<R>(
    action: EndingAction,
    found: FoundRun,
    act: (runId: string, call: ToolCall) => Promise<R>,
  ): Promise<R> {
    const runId = idOf(found);
    const recorded = this.#record(action, runId);
    try {
      return await act(runId, callAbout(this.#asking, found));
    } finally {
      await recorded;
    }
  }

  #record(action: EndingAction, runId: string): Promise<void> {
    return recordEnding(this.#deps, this.#asking, { action, runId });
  }
}
