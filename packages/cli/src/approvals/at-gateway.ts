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
import { formatApprovals, formatEnd } from '../approvals/approval-text.ts';
import { type Decision, isAtTerminal } from '../approvals/decide.ts';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { createLinkTeller } from '../place/gateway/link-teller.ts';
import { retried } from '../place/gateway/retried.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { placeFlag } from '../sign-in/find-gateway.ts';
import { refuseInsideRun } from '../sign-in/inside-run.ts';
import { type OpenedGateway, withGateway } from '../sign-in/open-client.ts';
import { type ApprovalSource, followApprovals } from './follow-approvals.ts';

type RemoteApproval = Awaited<ReturnType<Client['approvals']['list']>>['items'][number];

export function showApprovals(
  context: CommandContext,
  { isAll, isFollow }: { readonly isAll: boolean; readonly isFollow: boolean },
): Promise<ExitStatus> {
  const { io, paint, clock } = context;
  return withGateway(context, async ({ client, target }) => {
    const records = (await readApprovals(client, isAll)).map(recordOf).reverse();
    const { account } = await client.auth.me();
    const ownAccounts = [...machineAccounts, account.id];
    if (context.isJson) {
      for (const record of records) await io.stdout.write(jsonLine(approvalJson(record, null)));
    } else if (records.length > 0) {
      const columnsMax = io.columns();
      const layout = { paint, nowMs: clock.wallMs(), isAll, columnsMax, ownAccounts };
      await io.stdout.write(formatApprovals(records, layout));
      const flag = placeFlag(target);
      if (!isAll) await io.stdout.write(paint.dim(`clf allow${flag} ID, or clf deny${flag} ID\n`));
    } else if (!isFollow) {
      const what = isAll ? 'Nothing was ever asked' : 'Nothing waits for you';
      await io.stdout.write(`${what} at ${target.name}.\n`);
    }
    if (isFollow) {
      const source = sourceOf(context, { client, target }, ownAccounts);
      const waiting = records.filter(({ state }) => state === 'pending');
      await followApprovals(context, source, waiting);
    }
    return codeStatus(exitOk);
  });
}

/* A person who watches does not see the difference. */
const lookEveryMs = 1_000;

/* Asks until the gateway answers: it may be starting anew. */
function sourceOf(
  context: CommandContext,
  { client, target }: OpenedGateway,
  ownAccounts: readonly string[],
): ApprovalSource {
  const { clock, random } = context;
  const deps = { clock, random, onLink: createLinkTeller(context) };
  return {
    name: `at ${target.name}`,
    flag: placeFlag(target),
    stateDir: null,
    ownAccounts,
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
  { typed, decision, reason }: Decision,
): Promise<ExitStatus> {
  const { io, config } = context;
  refuseInsideRun(config.pid);
  if (!isAtTerminal()) {
    throw new CliError('approval-refused', 'you may not decide this: there is no terminal', {
      hint: 'Decide in a terminal of your own, outside of any run; over ssh, ask for one with -t.',
    });
  }
  return withGateway(context, async ({ client, target }) => {
    const id = await findRemoteApproval(client, typed, placeFlag(target));
    const body = { decision, ...(reason === undefined ? {} : { reason }) };
    const { approval, rules, problem } = await client.approvals.decide({ params: { id }, body });
    const record = recordOf(approval);
    // As on this machine: it is an error, so that no script takes it for a start.
    if (record.state === 'changed') throw changedError(record, placeFlag(target));
    if (context.isJson) {
      const more = decision === 'deny' ? {} : { rules };
      await io.stdout.write(jsonLine({ ...approvalJson(record, null), ...more }));
    } else {
      for (const rule of rules) await io.stdout.write(`from now on ${rule} runs unasked\n`);
      const end = decision === 'deny' ? (formatEnd(record) ?? 'denied') : `started ${record.runId}`;
      await io.stdout.write(`${record.approvalId} ${end}\n`);
      if (problem !== null) await io.stderr.write(`clf: it could not be started: ${problem}\n`);
    }
    return codeStatus(exitOk);
  });
}

function changedError(record: ApprovalRecord, flag: string): CodedError {
  return new CodedError('approval-changed', `nothing was started: ${formatChanged(record)}`, {
    hint: `A person has to decide about the new request: clf approvals${flag}.`,
    detail: { approvalId: record.approvalId },
  });
}

function readApprovals(
  client: Client,
  isAll: boolean,
  signal?: AbortSignal,
): Promise<RemoteApproval[]> {
  const state = isAll ? {} : ({ state: 'pending' } as const);
  const ends = signal === undefined ? {} : { signal };
  return allPages((page) => client.approvals.list({ query: { ...page, ...state } }, ends));
}

async function findRemoteApproval(client: Client, typed: string, flag: string): Promise<string> {
  const waiting = await readApprovals(client, false);
  const isMeant = ({ id, runId }: RemoteApproval): boolean =>
    typed !== '' && (id.startsWith(typed) || runId.startsWith(typed));
  const [one, ...others] = waiting.filter(isMeant);
  if (one !== undefined && others.length === 0) return one.id;
  const code = one === undefined ? 'approval-not-found' : 'approval-ambiguous';
  const message = one === undefined ? 'nothing that waits begins' : 'several that wait begin';
  throw new CliError(code, `${message} with "${typed}"`, {
    hint: `See what waits: clf approvals${flag}. What is over: clf approvals${flag} -a`,
    detail: { typed },
  });
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
    actionHash: '',
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
