import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from '../../read/index.ts'

interface Tagged {
  readonly body: Buffer
  readonly etag: string
}

/** Bodies by the value they were made of: a view or a page that is kept is encoded and tagged once. */
const encoded = new WeakMap<object, Tagged>()

/**
 * Sends an object as JSON, text and bytes as they are, under a tag of its bytes; 304 without a body to a request that names the tag.
 *
 * @param value never changed once it was sent
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  const json = typeof value === 'object' && !Buffer.isBuffer(value)
  const { body, etag } = typeof value === 'string' ? tag(value) : taggedOnce(value as object)
  if (json && reply.getHeader('content-type') === undefined) reply.type('application/json; charset=utf-8')
  reply.header('etag', etag)
  return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(body)
}

function taggedOnce(value: object): Tagged {
  const known = encoded.get(value)
  if (known) return known
  const made = tag(Buffer.isBuffer(value) ? value : JSON.stringify(value))
  encoded.set(value, made)
  return made
}

function tag(content: string | Buffer): Tagged {
  const body = Buffer.from(content)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}
