/*
 * The example of the README: a command on a gateway, followed to its end. The token comes on standard input, because arguments
 * and environments are seen by others.
 */
import { readFileSync } from 'node:fs';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient, followRun } from '@clawdfather/sdk';

const [baseUrl = 'http://127.0.0.1:8420'] = process.argv.slice(2);
const client = createClient({ baseUrl, token: readFileSync(0, 'utf8').trim() });
const [clock, random] = [createSystemClock(), createSystemRandom()];

const body = { command: 'echo hello; sleep 0.1; echo goodbye; exit 3', background: true };
const started = await client.runs.create({ body }, { idempotencyKey: random.id() });
if (started.status !== 'running') throw new Error(`it is ${started.status}`);

const { runId } = started;
for await (const event of followRun({ client, runId }, { clock, random })) {
  if (event.name === 'output') process.stdout.write(Buffer.from(event.data.data, 'base64'));
  if (event.name === 'exit') process.stdout.write(`${event.data.exit.code}\n`);
}
