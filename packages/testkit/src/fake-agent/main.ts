/*
 * The fake agent's process: plays a script, or echoes. It speaks ACP on its standard input and output and needs nothing but
 * Node, so that it starts fast and wherever it is put.
 */
import { readConfig, usageCode, type Config } from './config.ts';
import { openStation } from './station.ts';
import { openTrace } from './trace-writer.ts';

const { script, gates, trace: traceFile, sessions, effects } = configOrEnd();
const trace = openTrace(traceFile, script === undefined ? 'echo' : (script.name ?? 'script'));
const station = openStation({ trace, gates });

/* Each half is loaded only when it is used. */
if (script === undefined) {
  const { playEcho } = await import('./echo-agent.ts');
  await playEcho(station, { sessions, effects });
} else {
  const { playScript } = await import('./play-script.ts');
  await playScript(script, station);
}

function configOrEnd(): Config {
  try {
    return readConfig(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`fake agent: ${(error as Error).message}\n`);
    return process.exit(usageCode);
  }
}
