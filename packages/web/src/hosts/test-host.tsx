/*
 * Testing a host: how far the connection came, and what to do about it. A key that is shown for the first time is compared and trusted
 * here; one that has changed is a decision of its own (changed-key.tsx).
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { RefusedError } from '@clawdfather/sdk';
import { useApp } from '../app-context.ts';
import { type Act, useAct } from '../data/use-act.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Icon } from '../parts/icon.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { ChangedKey } from './changed-key.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { type Host, type HostTest, stepOf, testSteps } from './host-words.ts';

const seeKeyCommand = 'for f in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lvf "$f"; done';

interface Testing {
  readonly act: Act;
  readonly found: HostTest | undefined;
  /* The two keys, when the host shows another one. */
  readonly changed: { readonly before: string | null; readonly now: string | null } | undefined;
  /* With a fingerprint: this one is trusted. */
  readonly test: (fingerprint?: string) => Promise<boolean>;
}

export function TestHost({ host, onTested }: { host: Host; onTested: () => void }) {
  const testing = useTesting(host, onTested);
  const { act, found, changed, test } = testing;
  const wasChanged = host.last_test?.result === 'host_key_changed';
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Once more when the host is known anew: what stood above it may be gone then.
    if (found !== undefined) result.current?.scrollIntoView({ block: 'nearest' });
  }, [found, host.last_test?.at]);
  return (
    <>
      {changed !== undefined && (
        <ChangedKey
          host={host}
          before={changed.before}
          now={changed.now}
          onTrust={(fingerprint) => test(fingerprint)}
        />
      )}
      {changed === undefined && wasChanged && (
        <section class="panel stopped">
          <h2>This host showed another key</h2>
          <p>Nothing is sent to it until you decide. Look at both keys first.</p>
        </section>
      )}
      {found !== undefined && changed === undefined && (
        <div ref={result}>
          <Found
            found={found}
            isOff={act.isOff}
            onTrust={(fingerprint) => void test(fingerprint)}
          />
        </div>
      )}
      {changed === undefined && <ActNote act={act} />}
      <div class="buttons">
        <button
          type="button"
          class={host.last_test?.result === 'ok' ? 'button' : 'button main'}
          disabled={act.isOff}
          onClick={() => void test()}
        >
          {act.isBusy ? 'Testing …' : wasChanged ? 'Look at both keys' : 'Test the connection'}
        </button>
      </div>
    </>
  );
}

function useTesting({ id }: Host, onTested: () => void): Testing {
  const { client } = useApp();
  const act = useAct();
  const [found, setFound] = useState<HostTest | undefined>(undefined);
  const [changed, setChanged] = useState<Testing['changed']>(undefined);
  const test = async (fingerprint?: string): Promise<boolean> => {
    const trust =
      fingerprint === undefined ? {} : { accept_host_key: true, host_key_fingerprint: fingerprint };
    const isDone = await act.run(async () => {
      try {
        setFound(await client.connections.test({ params: { id }, body: trust }));
        setChanged(undefined);
      } catch (error) {
        setChanged(keysOf(error));
        throw error;
      }
    });
    onTested();
    return isDone;
  };
  return { act, found, changed, test };
}

/* From the refusal; undefined: it was about something else. */
function keysOf(error: unknown): Testing['changed'] {
  if (!(error instanceof RefusedError) || error.refusal.code !== 'host_key_changed')
    return undefined;
  const { old_fingerprint: before, new_fingerprint: now } = error.detail;
  return {
    before: typeof before === 'string' ? before : null,
    now: typeof now === 'string' ? now : null,
  };
}

function Found({
  found,
  isOff,
  onTrust,
}: {
  readonly found: HostTest;
  readonly isOff: boolean;
  readonly onTrust: (fingerprint: string) => void;
}) {
  const { result, message, cause, latency_ms: latency, host_key_fingerprint: shown } = found;
  if (result === 'ok') {
    return (
      <section class="panel" role="status">
        <h2>It works</h2>
        <p>The gateway has signed in there{latency === null ? '' : `, in ${latency} ms`}.</p>
      </section>
    );
  }
  if (result === 'host_key_unknown' && shown !== null) {
    return <FirstKey shown={shown} isOff={isOff} onTrust={onTrust} />;
  }
  return (
    <section class="panel stopped" role="status">
      <h2>{message}</h2>
      <StepList stoppedAt={stepOf(cause)} />
    </section>
  );
}

function FirstKey({
  shown,
  isOff,
  onTrust,
}: {
  readonly shown: string;
  readonly isOff: boolean;
  readonly onTrust: (fingerprint: string) => void;
}) {
  return (
    <section class="panel needs" role="status">
      <h2>Is this the key of your host?</h2>
      <Fingerprint text={shown} />
      <p class="quiet">
        Compare it with what the host itself says. This command shows its keys, each with its
        picture:
      </p>
      <Copyable text={seeKeyCommand} name="Command that shows the host's keys" />
      <p class="quiet">One of them has to have the same picture, and this in its line:</p>
      <code class="fingerprint">{shown}</code>
      <button type="button" class="button main" disabled={isOff} onClick={() => onTrust(shown)}>
        They are the same: trust it
      </button>
    </section>
  );
}

function StepList({ stoppedAt }: { readonly stoppedAt: number | undefined }) {
  if (stoppedAt === undefined) return null;
  return (
    <ol class="steps">
      {testSteps.map((step, index) => {
        if (index > stoppedAt) return null;
        const isDone = index < stoppedAt;
        return (
          <li key={step} class={isDone ? 'done' : 'failed'}>
            <Icon name={isDone ? 'check' : 'close'} />
            <span>
              {step}
              <span class="only-read-aloud">{isDone ? ': yes' : ': no'}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
