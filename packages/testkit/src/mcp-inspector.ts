/*
 * The official inspector as a judge of a server: what it says to one request, in its strictest mode if asked.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fetchExternal } from './external-program.ts';

export interface Inspected {
  readonly code: number;
  readonly result: Readonly<Record<string, unknown>>;
  readonly stderr: string;
}

/** The arguments name the server and the request. */
export async function inspectMcpServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Inspected> {
  const launcher = join(
    await fetchExternal('inspector'),
    'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  );
  const { promise, resolve, reject } = Promise.withResolvers<Inspected>();
  const all = [launcher, '--cli', '--format', 'json', ...args];
  execFile(process.execPath, all, { env }, (error, stdout, stderr) => {
    const code = error === null ? 0 : Number(error.code);
    try {
      const { result } = JSON.parse(stdout) as Pick<Inspected, 'result'>;
      resolve({ code, result, stderr });
    } catch {
      reject(new Error(`exit code ${code}: ${stdout}${stderr}`));
    }
  });
  return promise;
}
