/*
 * `clf approvals`, `allow` and `deny` with `--gateway`: what waits at a gateway, shown and decided as on this machine.
 *
 * Deciding is a person's: it takes a terminal and is refused inside a run, here as there (A5). The gateway judges again.
 */
import { CodedError } from '@clawdfather/kit';
import { type Client, RefusedError } from '@clawdfather/sdk';
import type { ApprovalRecord, ProposedAction } from '@clawdfather/tools';
import { approvalJson } from '../approvals/approval-json.ts';
import { formatChanged } from '@clawdfather/tools/text';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { type ApprovalPlace, formatFoot, formatNone } from '../approvals/approval-place.ts';
import { isAtTerminal } from '../approvals/decide.ts';
import { formatAllowed, formatDenied, formatMadeRules } from '../approvals/decision-text.ts';
import { eachApproval } from '../approvals/each-approval.ts';
import type { CommandContext } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { createLinkTeller } from '../place/gateway/link-teller.ts';
import { retried } from '../place/gateway/retried.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { placeFlag, placeName } from '../sign-in/find-gateway.ts';
import { refuseInsideRun } from '../sign-in/inside-run.ts';
import { type OpenedGateway, withGateway } from '../sign-in/open-client.ts';
import { formatWaiting } from '../threads/ask-text.ts';
import { answerAsk } from '../threads/answer-ask.ts';
import { type AskDesk, createDeskAtGateway, decidedError } from '../threads/ask-desk.ts';
import { createAskNews } from '../threads/ask-news.ts';
import type { AskedDecision } from '../threads/decide-asked.ts';
import { askJson } from '../threads/thread-json.ts';
import type { Ask } from '../threads/thread-types.ts';
import { findWaiting, type Waiting } from './find-waiting.ts';
import { type ApprovalSource, followApprovals } from './follow-approvals.ts';

type RemoteApproval = Awaited<ReturnType<Client['approvals']['list']>>['items'][number];

export function showApprovals(
  context: CommandContext,
  { isAll, isFollow }: { readonly isAll: boolean; readonly isFollow: boolean },
): Promise<ExitStatus> {
  const { io, paint, clock } = context;
  return withGateway(context, async ({ client, target }) => {
    const records = (await readApprovals(client, isAll)).map(recordOf).reverse();
    const desk = createDeskAtGateway(client);
    const asks = await (isAll ? desk.listAll() : desk.list());
    const { account } = await client.auth.me();
    const ownAccounts = [...machineAccounts, account.id];
    if (context.isJson) {
      for (const record of records) await io.stdout.write(jsonLine(approvalJson(record, null)));
      for (const ask of asks) await io.stdout.write(jsonLine(askJson(ask)));
    } else if (records.length + asks.length > 0) {
      const columnsMax = io.columns();
      const layout = { paint, nowMs: clock.wallMs(), isAll, columnsMax, ownAccounts };
      await io.stdout.write(formatWaiting(records, asks, layout));
      await io.stdout.write(paint.dim(formatFoot(placeOf(target), isAll)));
    } else if (!isFollow) {
      await io.stdout.write(formatNone(placeOf(target), isAll));
    }
    if (isFollow) {
      const source = sourceOf(context, { client, target }, { ownAccounts, asks });
      await followApprovals(context, source, records);
    }
    return codeStatus(exitOk);
  });
}

function placeOf(target: OpenedGateway['target']): ApprovalPlace {
  return { name: placeName(target), flag: placeFlag(target) };
}

/* A person who watches does not see the difference. */
const lookEveryMs = 1_000;

/* Asks until the gateway answers: it may be starting anew. */
function sourceOf(
  context: CommandContext,
  { client, target }: OpenedGateway,
  { ownAccounts, asks }: { readonly ownAccounts: readonly string[]; readonly asks: readonly Ask[] },
): ApprovalSource {
  const { clock, random } = context;
  const deps = { clock, random, onLink: createLinkTeller(context) };
  const flag = placeFlag(target);
  return {
    ...placeOf(target),
    stateDir: null,
    ownAccounts,
    showAsks: createAskNews(context, {
      open: async () => createDeskAtGateway(client),
      read: (ask, signal) => retried(deps, ask, signal),
      flag,
      listed: asks,
    }),
    waiting: (signal) =>
      retried(
        deps,
        async () => (await readApprovals(client, false, signal)).map(recordOf).reverse(),
        signal,
      ),
    find: (id, signal) =>
      retried(
        deps,
        async () => recordOf(await client.approvals.get({ params: { id } }, { signal })),
        signal,
      ).catch((error: unknown) => {
        // It was forgotten in the meantime.
        if (error instanceof RefusedError && error.refusal.code === 'not_found') return undefined;
        throw error;
      }),
    changed: (signal) => clock.sleep(lookEveryMs, signal),
  };
}

export function decideRemotely(
  context: CommandContext,
  { typed, decision, reason, option }: AskedDecision,
): Promise<ExitStatus> {
  const { io, config, isJson, paint } = context;
  refuseInsideRun(config.pid);
  if (!isAtTerminal()) {
    throw new CliError('approval-refused', 'you may not decide this: there is no terminal', {
      hint: 'Decide in a terminal of your own, outside of any run; over ssh, ask for one with -t.',
    });
  }
  return withGateway(context, async ({ client, target }) => {
    const flag = placeFlag(target);
    const waiting = await readApprovals(client, false);
    const desk = createDeskAtGateway(client);
    const asks = await desk.list();
    const all = [...waiting, ...asks];
    const isWaiting = (one: string): boolean => all.some(({ id }) => id.startsWith(one));
    if (!typed.every(isWaiting)) await refuseDecided(desk, typed);
    const ids = typed.map((one) => findWaiting<Waiting>(all, one, flag).id);
    const body = { decision, ...(reason === undefined ? {} : { reason }) };
    return eachApproval(context, ids, async (id) => {
      const ask = asks.find((one) => one.id === id);
      if (ask !== undefined) {
        return answerAsk(context, desk, { ask, wish: { decision, option, reason, flag } });
      }
      if (option !== undefined) throw noOptions(id);
      // Of what was read: if it has become something else meanwhile, it is not decided.
      const digest = waiting.find((one) => one.id === id)?.digest;
      const { approval, rules, problem } = await client.approvals.decide({
        params: { id },
        body: { ...body, ...(digest === undefined ? {} : { digest }) },
      });
      const record = recordOf(approval);
      const made = rules.map((path) => ({ namedPath: path, realPath: path }));
      if (!isJson) await io.stdout.write(await formatMadeRules(record, made, paint));
      // As on this machine: it is an error, so that no script takes it for a start.
      if (record.state === 'changed') throw changedError(record, flag);
      if (isJson) {
        const more = decision === 'deny' ? {} : { rules };
        return io.stdout.write(jsonLine({ ...approvalJson(record, null), ...more }));
      }
      if (decision === 'deny') return io.stdout.write(formatDenied(record));
      if (problem === null) return io.stdout.write(formatAllowed(record, 'started'));
      await io.stderr.write(`clf: allowed, but it could not be started: ${problem}\n`);
    });
  });
}

/* Whoever names one that is over is told so. Of commands too the id may be a beginning; those are found by their list. */
async function refuseDecided(desk: AskDesk, typed: readonly string[]): Promise<void> {
  const over = (await desk.listAll()).filter(({ state }) => state !== 'open');
  const found = over.find(({ id }) => typed.some((one) => one !== '' && id.startsWith(one)));
  if (found !== undefined) throw decidedError(found);
}

function changedError(record: ApprovalRecord, flag: string): CodedError {
  return new CodedError('approval-changed', `nothing was started: ${formatChanged(record)}`, {
    hint: `A person has to decide about the new request: clf approvals${flag}.`,
    detail: { approvalId: record.approvalId },
  });
}

async function readApprovals(
  client: Client,
  isAll: boolean,
  signal?: AbortSignal,
): Promise<RemoteApproval[]> {
  const ends = signal === undefined ? {} : { signal };
  const read = (state: { readonly state?: 'pending' | 'allowed' }): Promise<RemoteApproval[]> =>
    allPages((page) => client.approvals.list({ query: { ...page, ...state } }, ends));
  if (isAll) return read({});
  // One that is allowed between the two is seen twice, as it was and as it is.
  const [pending, allowed] = [await read({ state: 'pending' }), await read({ state: 'allowed' })];
  return [
    ...allowed,
    ...pending.filter(({ id }) => !allowed.some((one) => one.id === id)),
  ].toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
}

function noOptions(id: string): CliError {
  return usageError(
    `--option is for what an agent asks; ${id} is a command`,
    'Allow it without the flag.',
  );
}

/* As the local ones are kept; the stored request stays with the gateway. */
function recordOf(approval: RemoteApproval): ApprovalRecord {
  const { id, runId, state, line, shell, argv, cwd, env, stdin, host, account, runAs } = approval;
  const [program = '', ...rest] = argv ?? [];
  const command: ProposedAction['command'] =
    line === null
      ? { kind: 'argv', argv: [program, ...rest] }
      : { kind: 'line', line, shell: shell ?? '' };
  return {
    approvalId: id,
    runId,
    state,
    actionHash: approval.digest,
    account,
    host,
    cwd,
    command,
    labels: {},
    action: {
      command,
      cwd,
      envAdditions: env,
      stdin: stdin ?? undefined,
      host,
      account,
      runAs: runAs ?? undefined,
    },
    request: undefined,
    binding: approval.bound ?? undefined,
    droppedBytes: approval.droppedBytes ?? undefined,
    requester: approval.requester,
    ...(approval.askedWith === null ? {} : { asker: { name: approval.askedWith, isOwner: false } }),
    why: approval.why,
    createdAtMs: Date.parse(approval.createdAt),
    expiresAtMs: Date.parse(approval.expiresAt),
    decision: approval.decision ?? undefined,
    decidedBy: approval.decidedBy ?? undefined,
    decidedAtMs: approval.decidedAt === null ? undefined : Date.parse(approval.decidedAt),
    reason: approval.reason ?? undefined,
    changed: approval.changed ?? undefined,
    askedAgainAs: approval.askedAgainAs ?? undefined,
  };
}
