/*
 * Words and ways of the inbox's rows. Pure.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';

type Inbox = AnswerOf<Api['inbox']['get']>;
type NamedThread = Inbox['working'][number]['thread'];

export function nameOfThread(thread: NamedThread | null): string {
  if (thread === null) return 'A thread';
  return thread.title === '' ? thread.agent : thread.title;
}

export function toThread(thread: NamedThread | null): { readonly to?: string } {
  return thread === null ? {} : { to: `/threads/${thread.id}` };
}

/* Times come first: they stay whole where the rest is cut. */
export function factLine(facts: readonly (string | undefined | null)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== null && fact !== '').join(' · ');
}

/* What is told of a thread elsewhere in the inbox is not told twice. */
export function receiptsOf(
  inbox: Pick<Inbox, 'approvals' | 'questions' | 'failed' | 'done' | 'working' | 'went_on'>,
): Inbox['went_on'] {
  const { approvals, questions, failed, done, working, went_on: wentOn } = inbox;
  const told = new Set(
    [...approvals, ...questions, ...failed, ...done, ...working].map(({ thread }) => thread?.id),
  );
  return wentOn.filter(({ thread }) => !told.has(thread.id));
}

/* Whether a row of it is about another machine, by its id. (Of changed keys the label is there.) */
export function namesHosts({
  hosts_lost: lost,
  approvals,
  ...inbox
}: Pick<
  Inbox,
  'hosts_lost' | 'approvals' | 'questions' | 'failed' | 'done' | 'working' | 'went_on'
>): boolean {
  const { questions, failed, done, working, went_on: wentOn } = inbox;
  return (
    lost.length > 0 ||
    approvals.some(({ host }) => host !== null && host !== 'local') ||
    [...approvals, ...questions, ...failed, ...done, ...working, ...wentOn].some(
      ({ thread }) => typeof thread?.connection_id === 'string',
    )
  );
}

/* Why a turn did not end well, short enough for a row; its thread has the long words. */
export function whyOfTurn(code: string | null, cause: string | null): string {
  if (cause === 'choice-not-set') return 'its mode could not be set, so nothing was sent';
  const known = code === null ? 'why is not known' : (whys[code] ?? code);
  return cause === null ? known : `${known} (${cause.replaceAll(/[-_]/g, ' ')})`;
}

const whys: Readonly<Record<string, string>> = {
  error: 'the agent reported an error',
  OPENCLAW_RUN_DEADLINE_EXCEEDED: 'took longer than it may',
  OPENCLAW_GATEWAY_BUSY: 'found no room',
  OPENCLAW_GATEWAY_LOST: 'its machine did not answer',
  ACP_BRIDGE_RESTART: 'the agent was restarted',
};
