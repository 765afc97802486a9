import type { FastifyReply } from 'fastify'
import type { Balance } from '../gate.ts'

/** States on an authenticated answer what it cost and what is left. */
export function sendCredits(reply: FastifyReply, { limit, remaining, resetsAt }: Balance, charged: number): void {
  reply.header('x-credits-charged', charged)
  reply.header('x-credits-limit', limit)
  reply.header('x-credits-remaining', remaining)
  reply.header('x-credits-reset', resetsAt)
}
