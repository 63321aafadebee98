/*
 * `clf allow`: the decision, then the start. If we are killed in between, the server that asked starts it, or the next process
 * that looks; if several try, one does.
 */
import { silentLog } from '@clawdfather/kit';
import type { ApprovalRecord } from '@clawdfather/tools';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import { approvalJson } from '../approvals/approval-json.ts';
import { formatCommandLines } from '../approvals/approval-text.ts';
import { decide, type Decided } from '../approvals/decide.ts';
import { reachBoundsOf } from '../approvals/reach-bounds.ts';
import { type Approvals, withApprovals } from '../approvals/with-approvals.ts';
import type { Supervisor } from '@clawdfather/supervisor';
import type { CallOf, CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import type { Paint } from '../render/paint.ts';
import { jsonLine } from '../render/run-json.ts';
import { findPlace } from '../sign-in/find-gateway.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { allowSpec } from './approval-specs.ts';

export async function execute(context: CallOf<typeof allowSpec>): Promise<ExitStatus> {
  const decision = context.flags.always ? 'allow-always' : 'allow-once';
  if (findPlace(context) !== undefined) {
    const { decideRemotely } = await import('../approvals/at-gateway.ts');
    return decideRemotely(context, { typed: context.operands.approval, decision });
  }
  return withApprovals(context, async (approvals) => {
    const decided = await decide(context, approvals, {
      typed: context.operands.approval,
      decision,
    });
    if (!context.isJson) await context.io.stdout.write(await formatRules(decided, context.paint));
    const isStarted = await start(context, approvals, decided.record);
    const record = approvals.gatekeeper.wholeApproval(decided.record.approvalId) ?? decided.record;
    const rules = decided.rules.map(({ namedPath }) => namedPath);
    await context.io.stdout.write(
      context.isJson
        ? jsonLine({ ...approvalJson(record, context.config.stateDir), rules })
        : `${isStarted ? 'started' : 'the gateway starts'} ${record.runId}: ${formatCommandLines(decided.record.action.command).join('\n> ')}\n`,
    );
    return codeStatus(exitOk);
  });
}

/*
 * What starts is in the record, environment included; ours is not used. False: it was asked for at a gateway, which alone knows as
 * whom its accounts run; it starts what is allowed, at once or when it runs again.
 */
async function start(
  context: CommandContext,
  { store: approvals }: Approvals,
  record: ApprovalRecord,
): Promise<boolean> {
  const { openTools, ownUserOnly, personPolicy } = await import('@clawdfather/tools');
  const { createShieldHere } = await import('../approvals/create-shield-here.ts');
  const { clock, random, config } = context;
  if (!machineAccounts.includes(record.account)) return false;
  const startHeld = async (supervisor: Supervisor): Promise<void> => {
    await using opened = await openTools({
      supervisor,
      stateDir: config.stateDir,
      approvals,
      clock,
      random,
      log: silentLog,
      allow: config.values['policy.allow'],
      reach: reachBoundsOf(config),
      policy: personPolicy,
      users: ownUserOnly,
      baseEnvironment: config.commandEnv,
      openFiles: config.openFiles,
      shield: createShieldHere(config, clock),
      takesUp: false,
    });
    await opened.tools.startHeld(record);
  };
  await withSupervisor(context, startHeld, { whenUnwritable: 'refuse' });
  return true;
}

const everything = '  it can run anything, so this allows everything\n';

async function formatRules({ record, rules }: Decided, paint: Paint): Promise<string> {
  const { canRunAnything } = await import('@clawdfather/tools');
  const lines = rules.map(({ namedPath, realPath }) => {
    const file = namedPath === realPath ? '' : ` (the file ${makeVisible(realPath)})`;
    const rule = `from now on ${makeVisible(namedPath)}${file} runs unasked, whatever its arguments\n`;
    const program = { namedPath, realPath };
    return canRunAnything(program) ? `${rule}${paint.warn(everything)}` : rule;
  });
  if (record.decision === 'allow-always' && lines.length === 0) {
    return 'all its programs were allowed before: no rule was added\n';
  }
  return lines.join('');
}
