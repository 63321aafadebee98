/*
 * Which processes count, on real ones: not those that are dead and wait for their parent, but those of which a thread lives.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { readProcess, readProcesses } from '../../../src/sign-in/peer/seen-processes.ts';

/* Its first line of output; it ends with the test. */
async function startPython(t: TestContext, script: string): Promise<string> {
  const child: ChildProcess = spawn('python3', ['-c', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(async () => {
    child.stdin?.end();
    await once(child, 'close');
  });
  assert.ok(child.stdout);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

test('a process that is dead and not yet buried is not seen', async (t) => {
  const script = `
import os, sys
child = os.fork()
if child == 0: os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(os.getpid(), child, flush=True)
sys.stdin.read()
`;
  const [parent = 0, child = 0] = (await startPython(t, script)).split(' ').map(Number);
  assert.match(readFileSync(`/proc/${child}/status`, 'latin1'), /^State:\tZ/m);
  assert.equal(readProcess(child), undefined);
  assert.ok(!readProcesses().has(child) && readProcesses().has(parent));
});

test('one whose first thread has ended is seen while another thread lives', async (t) => {
  // The system call of one thread, and not that of the whole process.
  const script = `
import ctypes, os, sys, threading
first = threading.main_thread().native_id
def other():
  while open(f"/proc/self/task/{first}/stat").read().rsplit(")", 1)[1].split()[0] != "Z": pass
  os.write(1, b"%d\\n" % os.getpid())
  os.read(0, 1)
  os._exit(0)
threading.Thread(target=other).start()
ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
`;
  const pid = Number(await startPython(t, script));
  assert.match(readFileSync(`/proc/${pid}/status`, 'latin1'), /^State:\tZ/m);
  assert.equal(readProcess(pid)?.pid, pid);
});
