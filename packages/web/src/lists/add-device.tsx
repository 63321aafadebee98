/*
 * Letting another device in: a code, a link and its picture are shown here, and whoever comes with one of them waits until you say yes.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { ArmedBar } from '../approvals/armed-bar.tsx';
import { useArming } from '../approvals/use-arming.ts';
import { useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { isOfThisMachine } from '../get-in/place-words.ts';
import { Copyable } from '../parts/copyable.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { Qr } from '../parts/qr.tsx';
import { Sheet } from '../parts/sheet.tsx';

type Made = AnswerOf<Api['loginCodes']['create']>;
type LoginCode = Made['login_code'];

export function AddDevice({ onClose }: { readonly onClose: () => void }) {
  const { client } = useApp();
  const act = useAct();
  const [made, setMade] = useState<Made | undefined>(undefined);
  const make = (): void => void act.run(async () => setMade(await client.loginCodes.create()));
  // Also when it could not be asked for as the sheet was opened.
  useEffect(() => {
    if (made === undefined && act.whyOff === undefined) make();
  }, [act.whyOff]);
  return (
    <Sheet title="Add a device" onClose={onClose}>
      <ActNote act={act} onRetry={make} />
      {made !== undefined && (
        <Code key={made.login_code.id} made={made} onAgain={make} onClose={onClose} />
      )}
    </Sheet>
  );
}

interface CodeProps {
  readonly made: Made;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Code({ made, onAgain, onClose }: CodeProps) {
  const login = useCode(made.login_code);
  switch (login.state) {
    case 'open':
      return (
        <>
          <WaysIn made={made} />
          <Copyable text={made.link} name="Login link" />
        </>
      );
    case 'claimed':
      return <Claimed login={login} onClose={onClose} />;
    case 'confirmed':
    case 'used':
      return (
        <>
          <p role="status">{login.claimant?.device ?? 'The device'} is let in.</p>
          <button type="button" class="button main" onClick={onClose}>
            Done
          </button>
        </>
      );
    case 'refused':
    case 'expired':
      return (
        <>
          <p role="status">
            {login.state === 'refused' ? 'It was refused.' : 'The two minutes are over.'}
          </p>
          <button type="button" class="button main" onClick={onAgain}>
            Make another code
          </button>
        </>
      );
  }
}

/* An address of this machine alone is of no use to a camera. */
function WaysIn({ made: { code, link } }: Pick<CodeProps, 'made'>) {
  if (isOfThisMachine(link)) {
    return (
      <>
        <p>
          In another browser of this machine, open this gateway and type the code. It is good for
          two minutes.
        </p>
        <p class="login-code">{code}</p>
        <p class="quiet">
          A phone cannot open {new URL(link).origin}: it needs an https address of the gateway, by
          “tailscale serve”, by Caddy, or with a certificate of your own.
        </p>
      </>
    );
  }
  return (
    <>
      <p>
        On the other device, open this gateway and type the code, or scan the picture. It is good
        for two minutes.
      </p>
      <p class="login-code">{code}</p>
      <Qr text={link} name="The link as a QR code" />
    </>
  );
}

/*
 * Who it is, and the answer; the harmless one stands where the thumb rests. They come in place of the code whenever somebody types it, perhaps
 * under a finger that was about to copy the link, so they are armed first.
 */
function Claimed({ login, onClose }: { readonly login: LoginCode; readonly onClose: () => void }) {
  const { client, clock } = useApp();
  const act = useAct();
  const bar = useRef<HTMLDivElement>(null);
  const start = useRef<HTMLElement>(null);
  const end = useRef<HTMLElement>(null);
  const armed = useArming(clock, { card: bar, bar, start, end }, { about: login.id, layer: '' });
  const decide = (decision: 'confirm' | 'refuse'): void =>
    void act.run(async () => {
      await client.loginCodes.decide({ params: { id: login.id }, body: { decision } });
      onClose();
    });
  return (
    <>
      <p role="alert">
        <span ref={start} />
        <strong>{login.claimant?.device ?? 'A device'}</strong> at{' '}
        <strong>{login.claimant?.ip ?? 'an unknown address'}</strong> wants in. Is it yours? It may
        do everything that you may.
        <span ref={end} />
      </p>
      <ActNote act={act} />
      <ArmedBar
        name="sheet-answers"
        bar={bar}
        ways={[
          {
            word: 'Yes, let it in',
            leaning: 'allows',
            isMain: true,
            onTap: () => decide('confirm'),
          },
          { word: 'No, refuse it', leaning: 'denies', onTap: () => decide('refuse') },
        ]}
        armed={armed}
        // Why is said above.
        off={act.isOff ? { why: '', isBrief: false } : undefined}
      />
    </>
  );
}

/* As it stands now; the gateway tells of each change. */
function useCode(made: LoginCode): LoginCode {
  const { client, clock, gatewayTime } = useApp();
  const { id } = made;
  const code = useResource(`login-codes/${id}`, () => client.loginCodes.get({ params: { id } }), [
    'login_code',
    'device_',
  ]);
  useEffect(() => {
    const leftMs = Math.max(0, Date.parse(made.expires_at) - gatewayTime.nowMs());
    const timer = clock.timer(leftMs + 1_000, () => void code.refresh());
    return () => timer.cancel();
  }, [clock, code, made.expires_at]);
  return code.value.value?.login_code ?? made;
}
