/*
 * Notifications on this device: whether they work, what they are about, and a test. Each state says what to do about it.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { formatAgo } from '../text/time-words.ts';
import type { DevicePush, PushClasses } from '../notifications/device-push.ts';
import type { PushStanding } from '../notifications/push-standing.ts';
import { standingWords } from '../notifications/standing-words.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { Badge, Group } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';

const classes: readonly { name: keyof PushClasses; says: string }[] = [
  { name: 'approval', says: 'An agent asks for approval' },
  { name: 'question', says: 'An agent has a question' },
  { name: 'failed', says: 'A thread failed or stopped' },
  { name: 'done', says: 'A thread is done' },
  { name: 'host_lost', says: 'A host was lost' },
];

export function NotificationsScreen() {
  const { push } = useApp();
  useEffect(() => void push.check(), [push]);
  const standing = push.standing.value;
  const problem = push.problem.value;
  return (
    <Screen title="Notifications" back={{ to: '/more', name: 'More' }}>
      {standing === undefined && problem === undefined && <p role="status">One moment …</p>}
      {standing !== undefined && <Standing push={push} standing={standing} />}
      {problem !== undefined && <ProblemView problem={problem} onRetry={() => void push.check()} />}
      {push.known.value !== undefined && <Classes push={push} chosen={push.known.value.classes} />}
    </Screen>
  );
}

function Standing({
  push,
  standing,
}: {
  readonly push: DevicePush;
  readonly standing: PushStanding;
}) {
  const { word, mood, text } = standingWords[standing];
  const failure = push.known.value?.failure ?? null;
  return (
    <section class="notification-state" aria-label="On this device">
      <p role="status">
        On this device: <Badge mood={mood}>{word}</Badge>
      </p>
      <p>{text}</p>
      {standing === 'broken' && failure !== null && (
        <p class="quiet">The push service said: {failure}</p>
      )}
      {(standing === 'off' || standing === 'broken') && (
        <button type="button" class="button main" onClick={() => void push.turnOn()}>
          Turn on
        </button>
      )}
      {(standing === 'working' || standing === 'broken') && (
        <>
          <Test push={push} />
          <button type="button" class="button" onClick={() => void push.turnOff()}>
            Turn off
          </button>
        </>
      )}
    </section>
  );
}

function Test({ push }: { readonly push: DevicePush }) {
  const { gatewayTime } = useApp();
  const [said, setSaid] = useState<string | undefined>(undefined);
  const test = async (): Promise<void> => {
    setSaid('Sending …');
    const answer = await push.test();
    if (answer === undefined) setSaid(undefined);
    else if (answer.outcome === 'failed')
      setSaid(`It was not sent: ${answer.reason ?? 'why is not known'}`);
    else setSaid('Sent. It should be here within a few seconds.');
  };
  const sentAt = push.known.value?.sent_at ?? null;
  return (
    <>
      <button type="button" class="button" onClick={() => void test()}>
        Send a test
      </button>
      <p class="quiet" role="status">
        {said ??
          (sentAt === null
            ? ''
            : `The last one was sent ${formatAgo(Date.parse(sentAt), gatewayTime.nowMs())}.`)}
      </p>
    </>
  );
}

function Classes({ push, chosen }: { readonly push: DevicePush; readonly chosen: PushClasses }) {
  return (
    <Group title="Tell me on this device">
      {classes.map(({ name, says }) => (
        <li key={name}>
          <label class="row yes-no">
            <input
              type="checkbox"
              checked={chosen[name]}
              onChange={({ currentTarget }) => void push.choose({ [name]: currentTarget.checked })}
            />
            <span>{says}</span>
          </label>
        </li>
      ))}
    </Group>
  );
}
