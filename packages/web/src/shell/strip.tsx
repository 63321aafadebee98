/*
 * The one line at the top that says how the connection is. Nothing while it is live, and nothing for a drop of a few seconds.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { Icon } from '../parts/icon.tsx';
import type { Link } from '../state/next-connection.ts';
import type { StorageStanding } from '../storage/lasting-tables.ts';

export function Strip() {
  const { connection, updates, storage } = useApp();
  const [isNoted, setIsNoted] = useState(false);
  const { link, update } = connection.state.value;
  const [isReloading, setIsReloading] = useState(false);
  /* Takes as long as the newer build needs to come. */
  const reload = {
    name: isReloading ? 'Loading …' : 'Reload',
    act: () => {
      setIsReloading(true);
      void updates.apply();
    },
  };
  switch (link.kind) {
    case 'reconnecting':
      return (
        <Line action={{ name: 'Retry now', act: connection.retryNow }}>
          The gateway does not answer. <NextTry link={link} />
        </Line>
      );
    case 'catching-up':
      return <Line>The gateway was restarted. Nothing is lost; catching up.</Line>;
    case 'offline':
      return <Line>This device is offline. What you write is sent later.</Line>;
    case 'too-old':
      return (
        <Line action={reload}>
          This app is too old for the gateway, which has version {link.gatewayVersion}.
        </Line>
      );
    default:
      if (storage.standing.value.kind === 'in-page' && !isNoted) {
        return <StorageNote standing={storage.standing.value} onClose={() => setIsNoted(true)} />;
      }
      if (update.kind !== 'ready') return null;
      return (
        <Line action={reload} onClose={() => connection.note({ kind: 'update-put-off' })}>
          A new version is here. Reload when you like.
        </Line>
      );
  }
}

const notKept = {
  full: 'This device has no room left. What you write is safe only after it was sent.',
  refused: 'This browser keeps nothing. What you write is safe only after it was sent.',
} as const;

/* Said once; what a person has asked for is not said. */
function StorageNote({
  standing,
  onClose,
}: {
  readonly standing: Extract<StorageStanding, { kind: 'in-page' }>;
  readonly onClose: () => void;
}) {
  if (standing.why === 'asked') return null;
  return <Line onClose={onClose}>{notKept[standing.why]}</Line>;
}

function Line({
  action,
  onClose,
  children,
}: {
  readonly action?: { readonly name: string; readonly act: () => void };
  readonly onClose?: () => void;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div class="strip" role="status">
      <span>{children}</span>
      {action !== undefined && (
        <button type="button" class="strip-action" onClick={action.act}>
          {action.name}
        </button>
      )}
      {onClose !== undefined && (
        <button type="button" class="icon-button" aria-label="Not now" onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/* Counted down by the second. Not read aloud each time: only the first words are. */
function NextTry({ link }: { readonly link: Extract<Link, { kind: 'reconnecting' }> }) {
  const { clock } = useApp();
  const { nextTryAtMs } = link;
  const [, setSecond] = useState(0);
  useEffect(() => {
    if (nextTryAtMs === undefined) return;
    let timer = clock.timer(1_000, tick);
    function tick(): void {
      setSecond((second) => second + 1);
      timer = clock.timer(1_000, tick);
    }
    return () => timer.cancel();
  }, [clock, nextTryAtMs]);
  if (nextTryAtMs === undefined) return <>Trying …</>;
  const seconds = Math.max(1, Math.ceil((nextTryAtMs - clock.monotonicMs()) / 1_000));
  return <span aria-hidden="true">Next try in {seconds} s.</span>;
}
