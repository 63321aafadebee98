/*
 * What allowing for ever adds: each program by its path, and a warning where that is as good as everything.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge } from '../parts/rows.tsx';
import type { Approval } from './outcome-words.ts';

export function AlwaysLayer({
  approval: { id },
  onKnown,
}: {
  readonly approval: Approval;
  /* Whether it can be allowed for ever. */
  readonly onKnown: (canAlways: boolean) => void;
}) {
  const app = useApp();
  const { client } = app;
  const rules = useMemo(
    () => createResource(app, () => client.approvals.rules({ params: { id } })),
    [app, client, id],
  );
  const known = rules.value.value;
  const canAlways = known !== undefined && known.whyNot === null;
  useEffect(() => onKnown(canAlways), [canAlways]);
  return (
    <div class="always">
      <h3>Allow always</h3>
      <ResourceView resource={rules}>
        {({ items, whyNot }) => {
          if (whyNot !== null) return <p>No rule could cover this: {whyNot}. Allow it once.</p>;
          if (items.length === 0) return <p>This adds no rule: it is on the list already.</p>;
          return (
            <>
              <p>
                From now on agents run this without asking, with any arguments, in any directory:
              </p>
              <ul class="rules">
                {items.map(({ program, file, runsAnything }) => (
                  <li key={program}>
                    <code>{program}</code>
                    {file !== program && <span class="quiet">which is {file}</span>}
                    {runsAnything && (
                      <Badge mood="bad">can run anything: this allows everything</Badge>
                    )}
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </ResourceView>
    </div>
  );
}
