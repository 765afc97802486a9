/** The seam between accounts and data: a secret goes in, a Grant comes out, usage goes back. Rate limits and concurrency. */
export { type Gate, openGate, type Standing } from './gate.ts'
