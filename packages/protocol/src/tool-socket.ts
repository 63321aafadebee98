/*
 * Where a shielded run finds the socket of its tool server. Agents and the relay go by these names, in runs that outlive every
 * version of ours.
 */

/* Set in every shield: how much of one it is. */
export const shieldVariable = 'CLAWDFATHER_SHIELD';
/* Names the socket, for programs that start the relay. */
export const toolsVariable = 'CLAWDFATHER_TOOLS';
/*
 * The run whose tools start a command at a gateway: in the environment of `clf run`, and in the header of its request. The gateway puts
 * the command below what this run does at the time. It decides nothing else.
 */
export const forRunVariable = 'CLAWDFATHER_FOR_RUN';
export const forRunHeader = 'clawdfather-for-run';
/* In a shield: below what is otherwise empty there. */
export const toolsDirInside = '/run/clawdfather';
/* Where the socket of a connection to an SSH host is in a shield that it is let into. */
export const sshDirInside = '/run/clawdfather-ssh';
export const toolsSocketName = 'tools';
