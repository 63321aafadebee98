/*
 * The way in: a login link that was opened or pasted, a code that another device shows, or GitHub.
 *
 * Nothing is done with a link that was opened until the gateway has said that nobody is in. One of another device needs a tap: whoever sent
 * it could let this browser into their own account, and read what is said there.
 *
 * An app on an iPhone's home screen has cookies of its own, so there a link is not spent in Safari: it is kept for the app.
 */
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { forgetOpenedLink, type OpenedLink, readOpenedLink } from '../get-in/opened-link.ts';
import { formatObstacle, placeOf } from '../get-in/place-words.ts';
import { type GetIn, useGetIn } from '../get-in/use-get-in.ts';
import { usePageTitle } from '../parts/page-title.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import type { Standing } from '../state/membership.ts';

/* Few need these, and who does has a network. */
const LockedOut = lazy(async () => (await import('../get-in/locked-out.tsx')).LockedOut);
const InstallFirst = lazy(async () => (await import('../get-in/install-first.tsx')).InstallFirst);
const ScanCode = lazy(async () => (await import('../get-in/scan-code.tsx')).ScanCode);

/* Where the browser reads codes by itself; elsewhere the code is typed. */
function canScan(): boolean {
  return 'BarcodeDetector' in window && typeof navigator.mediaDevices?.getUserMedia === 'function';
}

export function GetInScreen({
  standing,
}: {
  readonly standing: Exclude<Standing, { kind: 'in' }>;
}) {
  const { membership } = useApp();
  const getIn = useGetIn();
  // Here, so that what was refused can be put right.
  const typing = useState('');
  const [place] = useState(() => placeOf(window));
  const [opened, setOpened] = useState(() => readOpenedLink(membership.standing));
  const [isHere, setIsHere] = useState(!place.isUninstalledSafari);
  const isAsking = standing.kind === 'asking';
  usePageTitle(isAsking ? undefined : 'Sign in');
  const spend = ({ given }: OpenedLink): void => {
    forgetOpenedLink();
    setOpened(undefined);
    void getIn.enterGiven(given);
  };
  const obstacle = formatObstacle(place);
  useEffect(() => {
    // Where the sign-in would not be kept, the link is left for a place where it is.
    if (opened === undefined || !isHere || isAsking || obstacle !== undefined) return;
    if (opened.given.kind !== 'claim') spend(opened);
  }, [isHere, isAsking]);
  const { state } = getIn;
  const isOut = !isAsking && state.kind !== 'trying';
  const claim = opened?.given.kind === 'claim' ? opened : undefined;
  // Where there is nothing else to go to, so that it can be scrolled by keys.
  const isOnlyText = isOut && (obstacle !== undefined || state.kind === 'locked');
  return (
    <main class="get-in" tabIndex={isOnlyText ? 0 : undefined}>
      <img src="/icon.svg" width="72" height="72" alt="" />
      <h1>Clawdfather</h1>
      <WhyOut standing={standing} />
      {((isAsking && standing.problem === undefined) || state.kind === 'trying') && (
        <p role="status">One moment …</p>
      )}
      {isAsking && standing.problem !== undefined && (
        <ProblemView problem={standing.problem} onRetry={() => void membership.ask()} />
      )}
      {isOut && !isHere && (
        <Suspense fallback={null}>
          <InstallFirst link={opened?.address} onHere={() => setIsHere(true)} />
        </Suspense>
      )}
      {isOut && isHere && (
        <Ways
          getIn={getIn}
          obstacle={obstacle}
          typing={typing}
          onAsk={claim && (() => spend(claim))}
        />
      )}
    </main>
  );
}

function WhyOut({ standing }: { readonly standing: Exclude<Standing, { kind: 'in' }> }) {
  if (standing.kind !== 'out' || standing.why === 'never-in') return null;
  return (
    <p role="status">
      {standing.why === 'refused'
        ? 'This device was signed out. What was kept on it is removed.'
        : 'You are signed out. Nothing is kept on this device.'}
    </p>
  );
}

/* What is in the field, and what changes it. */
type Typing = readonly [text: string, setText: (text: string) => void];

function Ways({
  getIn,
  obstacle,
  typing,
  onAsk,
}: {
  readonly getIn: GetIn;
  readonly typing: Typing;
  readonly obstacle: ReturnType<typeof formatObstacle>;
  /* Of a link that was opened and not used yet. */
  readonly onAsk: (() => void) | undefined;
}) {
  const { state, enter, goToGithub, stopWaiting } = getIn;
  if (obstacle !== undefined) {
    return (
      <div class="obstacle" role="alert">
        <strong>{obstacle.title}</strong>
        <p>{obstacle.text}</p>
      </div>
    );
  }
  if (state.kind === 'locked') {
    return (
      <Suspense fallback={null}>
        <LockedOut untilMs={state.untilMs} onOver={stopWaiting} />
      </Suspense>
    );
  }
  if (state.kind === 'waiting') {
    return (
      <div class="obstacle calm" role="status">
        <strong>Confirm on your other device</strong>
        <p>It asks whether to let in “{state.device}”. This page goes on by itself.</p>
        <p>You will be signed in as “{state.account}”. Cancel if that is not you.</p>
        <button type="button" class="button" onClick={stopWaiting}>
          Cancel
        </button>
      </div>
    );
  }
  if (onAsk !== undefined) return <AskFirst onAsk={onAsk} />;
  return (
    <>
      {state.kind === 'idle' && state.problem !== undefined && (
        <ProblemView problem={state.problem} />
      )}
      <GivenForm typing={typing} onEnter={(text) => void enter(text)} />
      <Github onGo={() => void goToGithub()} />
    </>
  );
}

function AskFirst({ onAsk }: { readonly onAsk: () => void }) {
  return (
    <div class="obstacle calm">
      <strong>Sign in with your other device?</strong>
      <p>Go on only if you have just scanned this link from a device of your own.</p>
      <button type="button" class="button main" onClick={onAsk}>
        Ask to be let in
      </button>
    </div>
  );
}

function GivenForm({
  typing: [text, setText],
  onEnter,
}: {
  readonly typing: Typing;
  readonly onEnter: (text: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // It comes again when what was typed is refused: the next letter replaces it.
  useEffect(() => {
    if (text === '') return;
    field.current?.focus();
    field.current?.select();
  }, []);
  const [isScanning, setIsScanning] = useState(false);
  const [isScanOffered] = useState(canScan);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onEnter(text);
      }}
    >
      <label class="field">
        <span>Login link or code</span>
        <input
          ref={field}
          name="link"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
        />
      </label>
      <button type="submit" class="button main">
        Sign in
      </button>
      {isScanOffered && (
        <button type="button" class="button" onClick={() => setIsScanning(true)}>
          Scan a QR code
        </button>
      )}
      {isScanning && (
        <Suspense fallback={null}>
          <ScanCode
            onFound={(found) => {
              setIsScanning(false);
              onEnter(found);
            }}
            onClose={() => setIsScanning(false)}
          />
        </Suspense>
      )}
      <details class="quiet">
        <summary>Where do I get one?</summary>
        <p>
          On a device that is signed in: More, Devices, Add a device. It shows a code of eight
          characters.
        </p>
        <p>
          On the machine that runs the gateway: <code>clf login --link</code> prints a link that
          signs in once.
        </p>
      </details>
    </form>
  );
}

/* Only where the gateway offers it. */
function Github({ onGo }: { readonly onGo: () => void }) {
  const { client } = useApp();
  const [isOffered, setIsOffered] = useState(false);
  useEffect(() => {
    client.auth.ways().then(
      ({ ways }) => setIsOffered(ways.includes('github')),
      // Without an answer there is the link, which needs none.
      () => undefined,
    );
  }, [client]);
  if (!isOffered) return null;
  return (
    <button type="button" class="button" onClick={onGo}>
      Sign in with GitHub
    </button>
  );
}
