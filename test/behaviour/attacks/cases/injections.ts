import { type Documented, requestOf, shownBy } from '../../../http/openapi/openapi.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, credentialFor, documentedOperations, fromAddress } from '../documented.ts'
import { PAYLOADS, plainText } from '../payloads.ts'
import { type Answer, type Attack, attacked, inParallel } from '../target.ts'

/** Number of accounts, because a signed-in customer may send only 60 requests a minute. */
const ACCOUNTS = 60
/** Placeholder for the payload in a request. */
const MARK = 'PAYLOAD-GOES-HERE'
/** Free text fields, which may match rows. */
const SEARCHED = new Set(['q'])

/** One place of a request that can contain a payload. */
interface Place {
  readonly documented: Documented
  readonly name: string
  attack(payload: string): Attack
}

/** Every parameter and body field of an operation, and the name of an unknown parameter. */
function placesOf(documented: Documented): readonly Place[] {
  const { method, operation } = documented
  const shown = shownBy(documented)
  const example = operation.requestBody?.content['application/json']?.example as Readonly<Record<string, unknown>> | undefined
  const json = example === undefined ? {} : { body: JSON.stringify(example) }
  const type: Readonly<Record<string, string>> = example === undefined ? {} : { 'content-type': 'application/json' }
  const parameters = (operation.parameters ?? []).map(({ name, in: place }): Place => {
    const { url, headers } = requestOf(documented, { ...shown, [name]: MARK })
    return {
      documented,
      name: `${place} ${name}`,
      attack: payload => ({
        method,
        path: url.replace(MARK, payload),
        ...json,
        headers: { ...type, ...headers, ...(place === 'header' ? { [name.toLowerCase()]: printable(plainText(payload)) } : {}) },
      }),
    }
  })
  const { url, headers } = requestOf(documented, shown)
  const fields = Object.keys(example ?? {}).map(
    (name): Place => ({
      documented,
      name: `body ${name}`,
      attack: payload => ({
        method,
        path: url,
        headers: { ...type, ...headers },
        body: JSON.stringify({ ...example, [name]: plainText(payload) }),
      }),
    }),
  )
  const stray: Place = {
    documented,
    name: 'an unknown parameter',
    attack: payload => ({
      method,
      path: `${url}${url.includes('?') ? '&' : '?'}${payload}=${payload}`,
      headers: { ...type, ...headers },
      ...json,
    }),
  }
  return [...parameters, ...fields, stray]
}

/** Replaces unprintable characters, which headers cannot contain. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** True if the answer has rows. SQL in a filter is only a value, so it must match no rows. */
function findsRows({ documented, name }: Place, { status, body }: Answer): boolean {
  if (status !== 200 || !name.startsWith('query ') || SEARCHED.has(name.slice(6)) || !/^\/v[12]\//.test(documented.path)) return false
  if (!('api_key' in (documented.operation.security[0] ?? {}))) return false
  return /"(row_count|data_count)":\s*[1-9]/.test(body)
}

/**
 * Visits every pair of `first` and `second` once. Every part of the sequence contains a mixture of
 * both.
 */
function* pairs<A, B>(first: readonly A[], second: readonly B[]): Generator<readonly [A, B]> {
  for (let shift = 0; shift < second.length; shift++)
    for (const [index, item] of first.entries()) yield [item, second[(index * 7 + shift) % second.length]!]
}

export const cases: readonly HostileCase[] = [
  {
    id: 'Q1',
    tries:
      'SQL, paths, line breaks, markup, broken UTF-8, out-of-range numbers and empty forms in every parameter, header and body field of every operation',
    holds: 'injected values never cause a 5xx, a forged header or log line, or a row that SQL would select',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(
        bounds,
        {
          plans: Array.from({ length: ACCOUNTS }, () => 'max' as const),
          env: BELIEVED,
          meant: ['billing_unavailable', 'reserved_endpoint'],
        },
        async target => {
          const failures: string[] = []
          const operations = await documentedOperations(target)
          const places = operations.flatMap(placesOf)
          const payloads = Object.entries(PAYLOADS).flatMap(([kind, texts]) => texts.map(text => ({ kind, text })))
          const statuses = new Map<number, number>()
          const visits = pairs(places, payloads)
          const most = Math.min(scaled(bounds, 24_000), places.length * payloads.length)
          bounds.say(`${operations.length} operations, ${places.length} places, ${payloads.length} payloads`)
          const tries = await inParallel(most, 24, bounds.seconds, async index => {
            const [place, { kind, text }] = visits.next().value!
            const caller = target.callers[index % ACCOUNTS]!
            const attack = place.attack(text)
            const sent = { ...attack, headers: { ...fromAddress(index), ...credentialFor(place.documented, caller), ...attack.headers } }
            const attempt = `${place.documented.name}, ${place.name}, ${text.slice(0, 80)}`
            const answer = await target.send(sent).catch((error: Error) => error)
            if (answer instanceof Error) return void failures.push(`${attempt}: ${answer.message}`)
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
            if ('x-injected' in answer.headers) failures.push(`${attempt}: a header was forged`)
            if (kind === 'statements' && findsRows(place, answer)) failures.push(`${attempt}: found rows`)
          })
          const forged = target
            .log()
            .split('\n')
            .filter(line => line !== '' && isForged(line))
          failures.push(...forged.map(line => `a log line was forged: ${line.slice(0, 200)}`))
          const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
          return { tries, failures, figures: { operations: operations.length, places: places.length, statuses: counts.join(', ') } }
        },
      ),
  },
]

function isForged(record: string): boolean {
  try {
    return JSON.parse(record).event === 'forged'
  } catch {
    return true
  }
}
