/*
 * What a screen becomes when it breaks, or when a file of it could not be loaded: a text with the way out, in place of a blank page. The bar
 * with the five places stays; each address has a boundary of its own, by its key.
 */
import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

export function Boundary({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <main class="screen">
      <div class="problem" role="alert">
        <p>This screen could not be shown. A part of the app was not loaded, or it has a fault.</p>
        <p>What you have written is kept.</p>
        <details>
          <summary>Details</summary>
          <code>{error instanceof Error ? error.message : String(error)}</code>
        </details>
        <button type="button" class="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </div>
    </main>
  );
}
