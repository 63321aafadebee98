/*
 * The way in: a login link that was opened, or pasted here. The secret is taken out of the address and of the history first.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import type { Standing } from '../state/membership.ts';

/* As it is printed: the whole link, or its last part. */
const secretPattern = /(?:#clf-link=|^)([A-Za-z0-9_-]{43})\s*$/;

export function GetInScreen({
  standing,
}: {
  readonly standing: Exclude<Standing, { kind: 'in' }>;
}) {
  const { membership } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isBusy, setIsBusy] = useState(false);
  const enter = async (text: string): Promise<void> => {
    const secret = secretPattern.exec(text.trim())?.[1];
    if (secret === undefined) return setProblem(notWhole);
    setIsBusy(true);
    try {
      setProblem((await membership.signIn(secret)) ? undefined : cookieRefused);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setIsBusy(false);
  };
  useEffect(() => {
    const secret = takeSecret();
    if (secret !== undefined) void enter(secret);
  }, []);
  const asking = standing.kind === 'asking' ? standing : undefined;
  return (
    <main class="get-in">
      <img src="/icon.svg" width="72" height="72" alt="" />
      <h1>Clawdfather</h1>
      {asking !== undefined && asking.problem === undefined && <p role="status">One moment …</p>}
      {asking?.problem !== undefined && (
        <ProblemView problem={asking.problem} onRetry={() => void membership.ask()} />
      )}
      {problem !== undefined && <ProblemView problem={problem} />}
      {standing.kind === 'out' && <PasteLink isBusy={isBusy} onEnter={enter} />}
    </main>
  );
}

function PasteLink({
  isBusy,
  onEnter,
}: {
  readonly isBusy: boolean;
  readonly onEnter: (text: string) => Promise<void>;
}) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onEnter(text);
      }}
    >
      <p>
        On the machine that runs the gateway, <code>clf login --link</code> prints a link that signs
        you in once. Open it here, or paste it.
      </p>
      <label class="field">
        <span>Login link</span>
        <input
          name="link"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
        />
      </label>
      <button type="submit" class="button main" disabled={isBusy}>
        Sign in
      </button>
    </form>
  );
}

/* Whoever looks at the screen or goes back finds nothing. */
function takeSecret(): string | undefined {
  const { hash, pathname } = location;
  if (!hash.startsWith('#clf-link=')) return undefined;
  history.replaceState(null, '', pathname === '/login' ? '/' : pathname);
  return hash;
}

const notWhole: Problem = {
  text: 'This link is not whole.',
  hint: 'Perhaps a part was lost while copying. Make a new one: clf login --link',
  traceId: undefined,
  kind: 'refused',
};

const cookieRefused: Problem = {
  text: 'Your browser did not keep the cookie.',
  hint: 'It takes secure cookies only over HTTPS. Use the gateway under an https:// address.',
  traceId: undefined,
  kind: 'refused',
};
