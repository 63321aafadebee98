/*
 * OpenSSH's client as a program uses it that wants to know what came of a command.
 */
import { spawn } from 'node:child_process';

export const sshPath = '/usr/bin/ssh';

export async function runSsh(args: readonly string[]): Promise<void> {
  const child = spawn(sshPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const hear = (bytes: Buffer): void => void (said += bytes.toString());
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`ssh ended with ${code}: ${said}`);
}
