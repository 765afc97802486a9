/** Formats a read can be asked for, the usual one first. */
export const FORMATS = ['json'] as const
