import { type Agent, request } from 'node:http'

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Sends a request over a keep-alive connection: GET, or POST of JSON if there is a body.
 *
 * @throws Error if there is no answer or the connection breaks before its end
 */
export const ask = (agent: Agent, url: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers: { ...json, ...headers } }, answer => {
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece)).on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers as Readonly<Record<string, string>>, body: Buffer.concat(pieces) }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
