/*
 * A host in memory, for agents whose files and terminals are served there. It outlives the gateways of a test, and counts what is done.
 */
import { createHash } from 'node:crypto';
import { CodedError } from '@clawdfather/kit';
import type { HostTools } from '@clawdfather/threads';

export class MemoryHost {
  readonly files = new Map<string, string>();
  /* Of files, in order. */
  readonly writes: string[] = [];
  readonly starts: string[] = [];
  verdict: 'allow' | 'ask' | 'deny' = 'allow';
  isReachable = true;

  readonly tools: HostTools = {
    judge: async () => this.verdict,
    read: async (path) => {
      const text = this.#look(path);
      if (text === undefined) throw new CodedError('no-such-file', `${path} is not there`);
      return text;
    },
    hashOf: async (path) => hashOf(this.#look(path)),
    write: async ({ path, text, oldHash }) => {
      if (hashOf(this.#look(path)) !== oldHash) return 'changed';
      this.files.set(path, text);
      this.writes.push(path);
      return 'written';
    },
    createTerminal: async ({ runId }) => {
      if (!this.starts.includes(runId)) this.starts.push(runId);
    },
    terminalOutput: async () => ({ output: 'so far', truncated: false }),
    waitForTerminal: async () => ({ exitCode: 0, signal: null }),
    endTerminal: async () => {},
    endTerminals: async () => {},
  };

  #look(path: string): string | undefined {
    if (!this.isReachable) throw new CodedError('host-unreachable', 'no answer');
    return this.files.get(path);
  }
}

function hashOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
}
