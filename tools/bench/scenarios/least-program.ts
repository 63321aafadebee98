/*
 * A program that only exits: no library, no linker, no memory of its own.
 *
 * `true` of a distribution spends most of its time before `main`: linking, and asking the processor about its caches, which a
 * virtual machine answers slowly. That is half of all processor time when short commands are started as fast as possible, it
 * is the same for every contender, and it says nothing about any of them. Both are measured.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const source = `
void _start(void)
{
#if defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(231), "D"(0));
#elif defined(__aarch64__)
	register long number __asm__("x8") = 94, code __asm__("x0") = 0;
	__asm__ volatile("svc 0" : : "r"(number), "r"(code));
#else
#error "say here how this processor leaves"
#endif
	__builtin_unreachable();
}
`;

const compiler = process.env['CC'] ?? 'cc';

/* Its path. */
export function buildLeastProgram(dir: string): string {
  const [file, program] = [join(dir, 'least.c'), join(dir, 'least')];
  writeFileSync(file, source);
  execFileSync(compiler, ['-Os', '-static', '-nostdlib', '-o', program, file]);
  return program;
}
