/*
 * `/ws/runs/:id`: one run, followed and driven. It ends with the run, or when the client is gone.
 */
import { runClientMessageSchema, socketCloseCodes } from '@clawdfather/protocol/api';
import { summaryOf } from '@clawdfather/tools';
import { handleCommon } from './common-messages.ts';
import { type Face, type FaceOptions, gatewayOf } from './face.ts';
import { runsOfSocket } from './runs-of-socket.ts';
import { Terminals } from './terminals.ts';

/* Throws `not_found` for a missing run and for one of another account. */
export async function openRunFace(options: FaceOptions): Promise<Face> {
  const { context, id, outbox, onInput } = options;
  const { hub, sharedRuns } = context;
  const runs = runsOfSocket(options);
  const record = runs.look(id);
  outbox.send({ type: 'run', run: summaryOf(record), ...gatewayOf(context) });
  const terminals = new Terminals({
    runs,
    outbox,
    hub,
    sharedRuns,
    ownRunId: id,
    onInput,
    onRunEnded: () => outbox.close(socketCloseCodes.normal, 'the run has ended'),
    onRunLost: () => outbox.close(socketCloseCodes.internal, 'the run cannot be read here'),
  });
  return {
    handle: async (message) =>
      handleCommon(options, terminals, runClientMessageSchema.parse(message)),
    drained: () => terminals.drained(),
    close: () => terminals.close(),
  };
}
