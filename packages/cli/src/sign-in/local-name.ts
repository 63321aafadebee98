/* The word for this machine, where the name of a gateway may stand. */
export const localName = 'local';
