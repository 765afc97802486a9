import { service, type TestService } from '../support.ts'

export const SHARES = '/delta-sharing/shares'
export const EARNINGS = `${SHARES}/pro/schemas/twmd/tables/earnings`
export const DELTA = { 'delta-sharing-capabilities': 'responseformat=delta,parquet;readerfeatures=deletionvectors' }

type Headers = Readonly<Record<string, string>>

/**
 * A test service with functions for calls of the Delta Sharing protocol. The key is the bearer
 * token.
 */
export async function sharing(options: Parameters<typeof service>[0] = {}) {
  const s: TestService = await service(options)
  return {
    ...s,
    ask: (url: string, key: string, headers: Headers = {}) =>
      s.app.inject({ url, headers: { authorization: `Bearer ${key}`, ...headers } }),
    query: (table: string, key: string, body: unknown = {}, headers: Headers = {}) =>
      s.app.inject({
        method: 'POST',
        url: `${table}/query`,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    /** Requests a signed URL without a key. */
    fetch: (url: string, headers: Headers = {}, method: 'GET' | 'HEAD' = 'GET') =>
      s.app.inject({ method, url: url.slice(new URL(url).origin.length), headers }),
  }
}

export type Sharing = Awaited<ReturnType<typeof sharing>>
type Answer = Awaited<ReturnType<Sharing['ask']>>

/** The lines of an answer. */
export const linesOf = ({ body }: Pick<Answer, 'body'>) =>
  body
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** The files that an answer lists, in either format. */
export const filesOf = (answer: Pick<Answer, 'body'>) => linesOf(answer).flatMap(line => line.file ?? [])

export const namesOf = (answer: Answer): readonly string[] => answer.json().items.map(({ name }: { readonly name: string }) => name)
