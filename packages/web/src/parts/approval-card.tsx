/*
 * A command that waits for a decision: exactly what would start, where, for whom and why, and how long it still waits.
 */
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { AlwaysLayer } from '../approvals/always-layer.tsx';
import { ApprovalFacts } from '../approvals/approval-facts.tsx';
import type { BarButton } from '../approvals/armed-bar.tsx';
import { DecisionFrame, type DecisionPlace } from '../approvals/decision-frame.tsx';
import { leftMsOf, type Waiting } from '../approvals/expiry.ts';
import { type Approval, outcomeOf } from '../approvals/outcome-words.ts';
import { ReasonLayer } from '../approvals/reason-layer.tsx';
import { type OnDecided, useDecision } from '../approvals/use-decision.ts';
import { useObstacle } from '../approvals/use-may-decide.ts';
import { useNow } from '../data/use-now.ts';
import { formatWhen, useWho } from '../approvals/use-who.ts';
import { Badge } from './rows.tsx';

export type { Approval } from '../approvals/outcome-words.ts';

export interface ApprovalCardProps {
  readonly approval: Approval;
  /* When it was read, by the monotonic clock. */
  readonly readAtMs: number;
  readonly place: DecisionPlace;
  readonly onDone: OnDecided;
}

interface Choice {
  readonly decision: 'allow-once' | 'allow-always' | 'deny';
  readonly reason?: string;
  readonly doing: string;
}

type Layer = 'main' | 'always' | 'reason';

export function ApprovalCard({ approval, readAtMs, place, onDone }: ApprovalCardProps) {
  const { client, clock, preferences } = useApp();
  const [layer, setLayer] = useState<Layer>('main');
  const [reason, setReason] = useState('');
  const [canAlways, setCanAlways] = useState(false);
  const nowMs = useNow(1000, 'monotonic');
  const waiting = waitingOf(approval, readAtMs);
  const isOver = approval.state !== 'pending' || leftMsOf(waiting, nowMs) === 0;
  const obstacle = useObstacle();
  const machine = useDecision<Choice>({
    clock,
    undoMs: preferences.undoMs.value,
    canDecide: obstacle === undefined && !isOver,
    onDone,
    send: ({ doing: _doing, ...decision }) =>
      client.approvals.decide({
        params: { id: approval.id },
        body: { ...decision, digest: approval.digest },
      }),
  });
  const [left, right] = waysOf(
    { layer, reason: reason.trim(), canAlways },
    (choice) => machine.choose(choice),
    () => setLayer('main'),
  );
  return (
    <DecisionFrame
      place={place}
      name={`${approval.askedWith ?? approval.requester} wants to run a command`}
      about={approval.digest}
      layer={`${layer} ${String(canAlways)}`}
      left={left}
      right={right}
      machine={machine}
      off={obstacle}
      over={isOver ? <Over approval={approval} /> : undefined}
    >
      {(marks) => (
        <>
          <ApprovalFacts approval={approval} waiting={waiting} nowMs={nowMs} marks={marks} />
          {!isOver && layer === 'main' && <MoreWays onLayer={setLayer} />}
          {layer === 'reason' && <ReasonLayer reason={reason} onReason={setReason} />}
          {layer === 'always' && <AlwaysLayer approval={approval} onKnown={setCanAlways} />}
        </>
      )}
    </DecisionFrame>
  );
}

/* What denies is left, what allows is right, on every layer. */
function waysOf(
  { layer, reason, canAlways }: { layer: Layer; reason: string; canAlways: boolean },
  choose: (choice: Choice) => void,
  onBack: () => void,
): readonly [BarButton, BarButton | undefined] {
  const back: BarButton = { word: 'Back', onTap: onBack };
  const deny = (said: string): BarButton => ({
    word: 'Deny',
    leaning: 'denies',
    onTap: () =>
      choose({ decision: 'deny', doing: 'Denying', ...(said === '' ? {} : { reason: said }) }),
  });
  const allow = (word: string, choice: Choice): BarButton => ({
    word,
    leaning: 'allows',
    isMain: true,
    onTap: () => choose(choice),
  });
  switch (layer) {
    case 'main':
      return [deny(''), allow('Allow once', { decision: 'allow-once', doing: 'Allowing' })];
    case 'reason':
      return [deny(reason), back];
    case 'always': {
      const always: Choice = { decision: 'allow-always', doing: 'Allowing for ever' };
      return [back, canAlways ? allow('Allow always', always) : undefined];
    }
  }
}

function MoreWays({ onLayer }: { readonly onLayer: (layer: Layer) => void }) {
  return (
    <div class="more-ways">
      <button type="button" class="button plain" onClick={() => onLayer('reason')}>
        Deny with a reason
      </button>
      <button type="button" class="button plain" onClick={() => onLayer('always')}>
        Allow always…
      </button>
    </div>
  );
}

function waitingOf(
  { createdAt, expiresAt, ageMs }: Pick<Approval, 'createdAt' | 'expiresAt' | 'ageMs'>,
  readAtMs: number,
): Waiting {
  return {
    createdAtMs: Date.parse(createdAt),
    expiresAtMs: Date.parse(expiresAt),
    ageMs,
    readAtMs,
  };
}

/* It is decided, or too late. */
function Over({ approval }: { readonly approval: Approval }) {
  const { gatewayTime } = useApp();
  const { state, decidedBy, decidedAt, reason, runId, askedAgainAs } = approval;
  const who = useWho(decidedBy !== null);
  // By our own clock it is too late; the gateway has not said so yet.
  const known = state === 'pending' ? { ...approval, state: 'expired' as const } : approval;
  const outcome = outcomeOf(known, who(decidedBy), formatWhen(decidedAt, gatewayTime.nowMs()));
  if (outcome === undefined) return null;
  return (
    <div class="over" role="status">
      <p>
        <Badge mood={outcome.mood}>{outcome.word}</Badge> {outcome.text}
      </p>
      {reason !== null && <p class="quiet">Reason: {reason}</p>}
      {state === 'started' && (
        <Link class="button" href={`/runs/${runId}`}>
          Open the run
        </Link>
      )}
      {askedAgainAs !== null && (
        <Link class="button" href={`/approvals/${askedAgainAs}`}>
          Look at the new request
        </Link>
      )}
    </div>
  );
}
