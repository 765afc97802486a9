import { type Documented, requestOf, shownBy } from '../../../http/openapi/openapi.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, credentialFor, documentedOperations, fromAddress } from '../documented.ts'
import { PAYLOADS, plainText } from '../payloads.ts'
import { type Answer, type Attack, atOnce, attacked } from '../target.ts'

/** 60 calls a minute are all that a signed-in customer has. */
const ACCOUNTS = 60
/** Stands in a request until the payload is put in its place. */
const MARK = 'PAYLOAD-GOES-HERE'
/** Free text: what is searched for may be found. */
const SEARCHED = new Set(['q'])

/** One place of a request that a payload goes into. */
interface Place {
  readonly of: Documented
  readonly name: string
  attack(payload: string): Attack
}

/** Every parameter and every field of a body of an operation, and the name of a parameter that is none. */
function placesOf(of: Documented): readonly Place[] {
  const { method, operation } = of
  const shown = shownBy(of)
  const example = operation.requestBody?.content['application/json']?.example as Readonly<Record<string, unknown>> | undefined
  const json = example === undefined ? {} : { body: JSON.stringify(example) }
  const type: Readonly<Record<string, string>> = example === undefined ? {} : { 'content-type': 'application/json' }
  const parameters = (operation.parameters ?? []).map(({ name, in: place }): Place => {
    const { url, headers } = requestOf(of, { ...shown, [name]: MARK })
    return {
      of,
      name: `${place} ${name}`,
      attack: payload => ({
        method,
        path: url.replace(MARK, payload),
        ...json,
        headers: { ...type, ...headers, ...(place === 'header' ? { [name.toLowerCase()]: printable(plainText(payload)) } : {}) },
      }),
    }
  })
  const { url, headers } = requestOf(of, shown)
  const fields = Object.keys(example ?? {}).map(
    (name): Place => ({
      of,
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
    of,
    name: 'a parameter that is none',
    attack: payload => ({
      method,
      path: `${url}${url.includes('?') ? '&' : '?'}${payload}=${payload}`,
      headers: { ...type, ...headers },
      ...json,
    }),
  }
  return [...parameters, ...fields, stray]
}

/** Headers cannot carry what is not printable. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** A statement in a filter that is answered must find nothing: what it holds is a value, whatever it looks like. */
function findsRows({ of, name }: Place, { status, body }: Answer): boolean {
  if (status !== 200 || !name.startsWith('query ') || SEARCHED.has(name.slice(6)) || !/^\/v[12]\//.test(of.path)) return false
  if (!('api_key' in (of.operation.security[0] ?? {}))) return false
  return /"(row_count|data_count)":\s*[1-9]/.test(body)
}

/** Visits every pair of `first` and `second` once, spread over both, so that a part of the visits is of all kinds. */
function* pairs<A, B>(first: readonly A[], second: readonly B[]): Generator<readonly [A, B]> {
  for (let shift = 0; shift < second.length; shift++)
    for (const [index, one] of first.entries()) yield [one, second[(index * 7 + shift) % second.length]!]
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
          const tries = await atOnce(most, 24, bounds.seconds, async index => {
            const [place, { kind, text }] = visits.next().value!
            const caller = target.callers[index % ACCOUNTS]!
            const attack = place.attack(text)
            const sent = { ...attack, headers: { ...fromAddress(index), ...credentialFor(place.of, caller), ...attack.headers } }
            const told = `${place.of.name}, ${place.name}, ${text.slice(0, 80)}`
            const answer = await target.send(sent).catch((error: Error) => error)
            if (answer instanceof Error) return void failures.push(`${told}: ${answer.message}`)
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
            if ('x-injected' in answer.headers) failures.push(`${told}: a header was forged`)
            if (kind === 'statements' && findsRows(place, answer)) failures.push(`${told}: found rows`)
          })
          const forged = target
            .log()
            .split('\n')
            .filter(line => line !== '' && isForged(line))
          failures.push(...forged.map(line => `a log line was forged: ${line.slice(0, 200)}`))
          const told = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
          return { tries, failures, figures: { operations: operations.length, places: places.length, statuses: told.join(', ') } }
        },
      ),
  },
]

function isForged(line: string): boolean {
  try {
    return JSON.parse(line).event === 'forged'
  } catch {
    return true
  }
}
