/*
 * How long work kept the event loop from doing anything else.
 *
 * Three readings of the main thread:
 *   cpuMs    what it computed;
 *   activeMs wall time outside the poll: computing, blocked in a system call, or waiting for a core;
 *   queuedMs time it was ready and no core was free (the kernel's schedstat).
 * `loopMs` is the time computing or blocked: activeMs without queuedMs, and never below cpuMs. CPU alone would flatter
 * child_process, which sleeps inside fork until the child has called exec; wall time alone would charge us with every
 * moment in which our own children have the cores. The correction errs in favour of whoever waits long in the poll,
 * by the delay of its wake-ups, hence the floor.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

export interface LoopTime {
  readonly cpuMs: number;
  readonly activeMs: number;
  readonly queuedMs: number;
  readonly loopMs: number;
}

/* Starts now; the result reads the time until it is called. */
export function startLoopTime(): () => LoopTime {
  const cpuBefore = process.threadCpuUsage();
  const queuedBefore = readQueuedMs();
  const before = performance.eventLoopUtilization();
  return () => {
    const { active: activeMs } = performance.eventLoopUtilization(before);
    const cpu = process.threadCpuUsage(cpuBefore);
    const cpuMs = (cpu.user + cpu.system) / 1000;
    const queuedMs = readQueuedMs() - queuedBefore;
    return { cpuMs, activeMs, queuedMs, loopMs: Math.max(cpuMs, activeMs - queuedMs) };
  };
}

export function perUnit(time: LoopTime, units: number): LoopTime {
  return {
    cpuMs: time.cpuMs / units,
    activeMs: time.activeMs / units,
    queuedMs: time.queuedMs / units,
    loopMs: time.loopMs / units,
  };
}

/* The second number: nanoseconds spent waiting for a core. Zero where the kernel does not count them. */
function readQueuedMs(): number {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8');
    return Number(text.split(' ')[1] ?? 0) / 1e6;
  } catch {
    /* Then `loopMs` is plain wall time outside the poll: worse for us, never better. */
    return 0;
  }
}
