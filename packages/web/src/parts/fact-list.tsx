/*
 * What is known of a thing: names and values, one below the other.
 */
import type { ComponentChildren } from 'preact';

/* A fact whose value is undefined is left out. */
export type Fact = readonly [name: string, value: ComponentChildren];

export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts-of">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
