/*
 * What failed, in the API's own words, with the way to try again.
 */
import type { ComponentChildren } from 'preact';
import type { Problem } from '../data/problem.ts';

export function ProblemView({
  problem,
  onRetry,
  children,
}: {
  readonly problem: Problem;
  readonly onRetry?: () => void;
  readonly children?: ComponentChildren;
}) {
  const { text, hint, traceId } = problem;
  return (
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
}
