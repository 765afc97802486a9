/** The seam between accounts and data: a secret goes in, a Grant comes out, usage goes back. Rate limits and concurrency. */
export { createGate, type Gate, type QuotaStatus } from './gate.ts'
