/*
 * What failed, in the API's own words, with the way to try again.
 */
import type { ComponentChildren } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import type { Problem } from '../data/problem.ts';

const HeldPlaces = lazy(async () => (await import('./held-places.tsx')).HeldPlaces);

export function ProblemView({
  problem,
  onRetry,
  children,
}: {
  readonly problem: Problem;
  readonly onRetry?: () => void;
  readonly children?: ComponentChildren;
}) {
  const { text, hint, traceId, held } = problem;
  const said = (
    <div class="problem" role="alert">
      <p>
        {text}
        {children}
      </p>
      {hint !== undefined && <p>{hint}</p>}
      {traceId !== undefined && (
        <details>
          <summary>Details</summary>
          Trace <code>{traceId}</code>
        </details>
      )}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
  if (held === undefined) return said;
  return (
    <>
      {said}
      <Suspense fallback={null}>
        <HeldPlaces kind={held} />
      </Suspense>
    </>
  );
}
