import { randomBytes } from 'node:crypto'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, fromAddress } from '../documented.ts'
import { type Attack, attacked, inParallel } from '../target.ts'

/**
 * Address from which half of the attempts come. They exceed the limit of wrong keys per address and
 * minute.
 */
const ONE = { 'x-forwarded-for': '192.0.2.1' }
/** Minimum number of attempts. With fewer, the address would not reach its limit. */
const LEAST = 270
const READ = '/v2/datasets/securities-firm-master?limit=1'

/**
 * Texts instead of a key: an empty text, parts of a key, other alphabets, prefixes and lengths, and
 * made-up keys.
 */
const wrong = (key: string): readonly string[] => [
  '',
  ' ',
  'sk_live_',
  key.slice(0, -1),
  `${key}0`,
  `${key}${key}`,
  key.toUpperCase(),
  key.replace('sk_live_', 'sk_test_'),
  key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'),
  `${key}, ${key}`,
  `"${key}"`,
  `Bearer ${key}`,
  'null',
  'undefined',
  "sk_live_' OR 1=1--",
  `sk_live_${'a'.repeat(10_000)}`,
  `sk_live_${randomBytes(19).toString('hex')}`,
  randomBytes(30).toString('base64'),
  Buffer.from('sk_live_ｋ').toString('latin1'),
]

/**
 * Headers with several credentials or a misplaced credential, with the expected status and error
 * code.
 */
const odd = (key: string, other: string): readonly (readonly [attack: Attack, status: number, code: string])[] => [
  [{ path: READ, headers: { 'x-api-key': [key, key] } }, 400, 'repeated_header'],
  [{ path: READ, headers: { authorization: [`Bearer ${key}`, `Bearer ${other}`] } }, 400, 'repeated_header'],
  [{ path: READ, headers: { 'x-api-key': key, authorization: `Bearer ${other}` } }, 401, 'conflicting_credentials'],
  [{ path: READ, headers: { 'x-api-key': '', authorization: `Bearer ${key}` } }, 401, 'conflicting_credentials'],
  [{ path: `${READ}&api_key=${key}`, headers: { 'x-api-key': key } }, 400, 'key_in_url'],
  [{ path: `${READ}&q=${key.replace('_', '%5f')}`, headers: { 'x-api-key': other } }, 400, 'key_in_url'],
  [{ path: `/v2/datasets/${key}`, headers: { 'x-api-key': other } }, 400, 'key_in_url'],
]

export const cases: readonly HostileCase[] = [
  {
    id: 'K1',
    tries:
      'missing, cut, repeated, quoted, made-up and look-alike keys; two credentials in one request; keys in the URL; valid keys in between; half of all from one address',
    holds: 'each wrong key is refused with its own code or rate limited, and valid keys from the same address still work',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(bounds, { plans: Array.from({ length: 6 }, () => 'max' as const), env: BELIEVED }, async target => {
        const failures: string[] = []
        const counts = { 'refusals of the one address rate limited': 0, 'good keys of the one address': 0 }
        const expect = async (attack: Attack, index: number, status: number, ...codes: readonly string[]): Promise<void> => {
          // Uses different bits of the index for the header and for the address, so that all
          // combinations occur.
          const isOne = (index >> 1) % 2 === 0
          const answer = await target.send({ ...attack, headers: { ...(isOne ? ONE : fromAddress(index)), ...attack.headers } })
          if (isOne && status >= 400 && answer.status === 429 && answer.code === 'rate_limited') {
            counts['refusals of the one address rate limited']++
            return
          }
          if (isOne && status === 200) counts['good keys of the one address']++
          if (answer.status !== status || !codes.includes(answer.code))
            failures.push(
              `${JSON.stringify(attack).slice(0, 200)}${isOne ? ', from the one address,' : ''} got ${answer.status} ${answer.code} instead of ${status} ${codes}`,
            )
        }
        const tries = await inParallel(Math.max(LEAST, scaled(bounds, 6_000)), 16, bounds.seconds, async index => {
          const { key } = target.callers[index % target.callers.length]!
          const other = target.callers[(index + 1) % target.callers.length]!.key
          const texts = wrong(key)
          const oddities = odd(key, other)
          const position = index % (texts.length + oddities.length + 1)
          if (position < texts.length) {
            const name = index % 2 === 0 ? 'x-api-key' : 'authorization'
            const text = name === 'authorization' ? `Bearer ${texts[position]}` : texts[position]!
            await expect({ path: READ, headers: { [name]: text } }, index, 401, 'invalid_api_key', 'missing_api_key')
          } else if (position < texts.length + oddities.length) {
            const [attack, status, code] = oddities[position - texts.length]!
            await expect(attack, index, status, code)
          } else await expect({ path: READ, headers: { 'x-api-key': key } }, index, 200, '')
        })
        const [rateLimited, good] = Object.values(counts)
        if (tries >= LEAST && (rateLimited === 0 || good === 0))
          failures.push(`of one address ${rateLimited} refusals were rate limited, and ${good} valid ones answered`)
        return { tries, failures, figures: counts }
      }),
  },
]
