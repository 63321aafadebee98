/*
 * Confinement: a Landlock domain around a command and all that it starts, made by the command's own process before exec.
 *
 * A confined command has one for files; a shielded one (shield.h) has one for processes, since its files are a matter of
 * mounts. Inside the domain of a confined one files can be reached only where a grant says so. Processes outside cannot be looked into (their environ,
 * memory, root and open files in /proc), signalled, or spoken to by an abstract socket, and TCP is refused, each as far as
 * the kernel knows it. Names, sizes and times of files stay visible: Landlock has no right for them.
 *
 * A domain cannot be left and is inherited. The set-user bit no longer works, and of root's capabilities one is kept, to
 * read what other users own: with the others root reads memory (/proc/kcore), which no right on files is about.
 *
 * Fails closed: a step that fails is a command that does not start.
 */
#ifndef CLF_CONFINE_H
#define CLF_CONFINE_H

#include "wire.h"

/* Raw system calls only. On a terminal, descriptor 0 is it. Returns 0, or -errno with the process half confined. */
long confine_self(const struct spawn *spawn);
/* The version of Landlock's interface, or -errno. */
long landlock_version(void);
/* probe.c: the job `confinement`. */
int confinement_main(void);

#endif
