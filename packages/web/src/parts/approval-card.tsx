/*
 * A command that waits for a decision: exactly what would start, where, for whom. Deny stands left, allow right, and neither works
 * before the card has stood still for a moment.
 */
import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { formatLength } from '../text/time-words.ts';
import { ProblemView } from './problem-view.tsx';

export type Approval = AnswerOf<Api['approvals']['get']>;

const armMs = 600;

export function ApprovalCard({
  approval,
  onDone,
}: {
  readonly approval: Approval;
  readonly onDone: () => void;
}) {
  const { client, clock } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isArmed, setIsArmed] = useState(false);
  useEffect(() => {
    const timer = clock.timer(armMs, () => setIsArmed(true));
    return () => timer.cancel();
  }, [clock]);
  const decide = async (decision: 'allow-once' | 'deny'): Promise<void> => {
    if (!isArmed) return;
    try {
      await client.approvals.decide({ params: { id: approval.id }, body: { decision } });
    } catch (error) {
      setProblem(problemOf(error));
    }
    onDone();
  };
  const { line, argv, cwd, host, requester, why, stdin, expiresAt } = approval;
  const leftMs = Date.parse(expiresAt) - clock.wallMs();
  return (
    <section class="ask" aria-label="A command waits">
      <h2>{requester} wants to run</h2>
      <div class="command">{line ?? argv?.join(' ')}</div>
      {stdin !== null && <div class="command">{stdin}</div>}
      <p class="quiet">
        {host === 'local' ? 'this machine' : host} · {cwd} · {why} · waits {formatLength(leftMs)}{' '}
        more
      </p>
      {problem !== undefined && <ProblemView problem={problem} />}
      <div class="answers">
        <button
          type="button"
          class="button"
          disabled={!isArmed}
          onClick={() => void decide('deny')}
        >
          Deny
        </button>
        <button
          type="button"
          class="button main"
          disabled={!isArmed}
          onClick={() => void decide('allow-once')}
        >
          Allow once
        </button>
      </div>
    </section>
  );
}
