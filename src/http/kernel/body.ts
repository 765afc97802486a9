import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export type Body = Buffer | Readable

/** Bytes worth copying into one piece, so that they leave in one write. */
const JOINED = 512 * 1_024

/** A body in pieces as it is sent: joined when it is short, else piece by piece as the caller takes them, its length told either way. */
export function bodyOf(reply: FastifyReply, pieces: readonly Buffer[]): Body {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length <= JOINED) return Buffer.concat(pieces, length)
  reply.header('content-length', length)
  return Readable.from(pieces)
}
