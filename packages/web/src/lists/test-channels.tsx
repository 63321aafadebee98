/*
 * The channels besides push on which the gateway tells its owner of something (docs/notices.md): each is sent a test, and says what came of it.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { ActNote } from '../parts/act-note.tsx';
import { Badge, Row } from '../parts/rows.tsx';

type Tested = AnswerOf<Api['notices']['test']>['items'];

export function TestChannels() {
  const { client } = useApp();
  const act = useAct();
  const [tested, setTested] = useState<Tested | undefined>(undefined);
  return (
    <section class="group">
      <h2>Other channels</h2>
      <button
        type="button"
        class="button wide"
        disabled={act.isOff}
        onClick={() => void act.run(async () => setTested((await client.notices.test()).items))}
      >
        {act.isBusy ? 'Sending …' : 'Send a test to each of them'}
      </button>
      <ActNote act={act} />
      {tested !== undefined && <Outcomes tested={tested} />}
    </section>
  );
}

function Outcomes({ tested }: { readonly tested: Tested }) {
  if (tested.length === 0) {
    return (
      <p class="quiet" role="status">
        None is set up. Webhooks and ntfy are in the settings of the gateway.
      </p>
    );
  }
  return (
    <ul class="rows" role="status">
      {tested.map(({ channel, outcome, reason, duration_ms: tookMs }) => (
        <Row
          key={channel}
          what={channel}
          facts={reason ?? `answered after ${tookMs} ms`}
          after={<Badge mood={outcome === 'sent' ? 'good' : 'bad'}>{outcome}</Badge>}
        />
      ))}
    </ul>
  );
}
