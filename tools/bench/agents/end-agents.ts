/*
 * Agents outlive every gateway, so they are ended when all is measured.
 */
import { join } from 'node:path';
import { createSupervisor } from '@clawdfather/supervisor';

/* Of the gateway in this directory, which has to be gone. */
export async function endAgents(directory: string): Promise<void> {
  const stateDir = join(directory, 'state');
  const supervisor = await createSupervisor({ stateDir, adoption: 'adopt' });
  try {
    const live = supervisor.list().filter(({ treeEndedAtMs }) => treeEndedAtMs === undefined);
    await Promise.all(
      live.map(async ({ runId }) => {
        const run = await supervisor.attach(runId);
        await run.cancel();
        await run.waitTree();
      }),
    );
  } finally {
    await supervisor.close();
  }
}
