import { requestOf, shownBy } from '../../../http/openapi/openapi.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, credentialFor, documentedOperations } from '../documented.ts'
import { type Answer, attacked, inParallel, type Target } from '../target.ts'

const PLANS = ['free', 'pro', 'max', 'max'] as const
const FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet']
const ACCOUNTS = 24

/** Credits of the current month, as the account's usage summary states them. */
async function toldTo(target: Target, token: string): Promise<{ readonly requests: number; readonly credits: number }> {
  const { body } = await target.send({ path: '/v2/self-serve/usage-summary?window=month', headers: { 'x-self-serve-token': token } })
  return JSON.parse(body).totals
}

export const cases: readonly HostileCase[] = [
  {
    id: 'M9',
    tries:
      'every charged operation from concurrent accounts of every plan: in every format, by GET and HEAD, with ETags, as dry runs, invalid, beyond plan and rate limit, and abandoned',
    holds: 'the ledger has exactly the answers that state a charge, each once at its price, and account totals match',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(
        bounds,
        {
          plans: Array.from({ length: ACCOUNTS }, (_, index) => PLANS[index % PLANS.length]!),
          env: BELIEVED,
          meant: ['reserved_endpoint'],
        },
        async target => {
          const failures: string[] = []
          const charged = (await documentedOperations(target)).filter(
            ({ method, operation }) => method === 'GET' && 'api_key' in (operation.security[0] ?? {}),
          )
          const used = target.callers.map(() => ({ requests: 0, credits: 0 }))
          const ways = new Map<string, number>()
          const tags = new Map<string, string>()
          const abandoning = new Set([ACCOUNTS - 1, ACCOUNTS - 2])
          const tries = await inParallel(scaled(bounds, 12_000), 32, bounds.seconds, async index => {
            const account = index % ACCOUNTS
            const operation = charged[Math.floor(index / ACCOUNTS) % charged.length]!
            const { url, headers } = requestOf(operation, shownBy(operation))
            const more = (text: string): string => `${url}${url.includes('?') ? '&' : '?'}${text}`
            const credential = credentialFor(operation, target.callers[account]!)
            const way = WAYS[Math.floor(index / 7) % WAYS.length]!
            const attack = {
              method: way === 'head' ? 'HEAD' : 'GET',
              path:
                way === 'dry run'
                  ? more('dry_run=true')
                  : way === 'wrong'
                    ? more('no_such_parameter=1')
                    : way === 'format'
                      ? more(`format=${FORMATS[index % FORMATS.length]}`)
                      : url,
              headers: { ...headers, ...credential, ...(way === 'again' && tags.has(url) ? { 'if-none-match': tags.get(url)! } : {}) },
            }
            if (abandoning.has(account)) return target.abandon(attack, index % 12)
            const answer = await target.send(attack)
            const price = Number(answer.headers['x-credits-charged'] ?? 0)
            if (price > 0) {
              used[account]!.requests++
              used[account]!.credits += price
            }
            const { etag } = answer.headers
            if (etag !== undefined && way !== 'format') tags.set(url, etag)
            ways.set(`${way} ${answer.status}`, (ways.get(`${way} ${answer.status}`) ?? 0) + 1)
            const mistake = mistakeOf(way, answer, price)
            if (mistake !== undefined) failures.push(`${attack.method} ${attack.path}: ${mistake}`)
          })
          for (const [account, { token, email }] of target.callers.entries()) {
            if (abandoning.has(account)) continue
            const { requests, credits } = await toldTo(target, token)
            if (requests !== used[account]!.requests || credits !== used[account]!.credits)
              failures.push(
                `${email} has used ${requests} requests and ${credits} credits; its answers state ${used[account]!.requests} and ${used[account]!.credits}`,
              )
          }
          const credits = used.reduce((sum, one) => sum + one.credits, 0)
          const counts = [...ways].sort(([a], [b]) => a.localeCompare(b)).map(([way, count]) => `${way}: ${count}`)
          return { tries, failures, figures: { operations: charged.length, credits, ways: counts.join(', ') } }
        },
      ),
  },
]

const WAYS = ['plain', 'plain', 'format', 'head', 'again', 'dry run', 'wrong'] as const

/** Describes a charge for a request that must be free. */
function mistakeOf(way: (typeof WAYS)[number], { status, code }: Answer, price: number): string | undefined {
  if (price > 0 && (status !== 200 || way === 'head' || way === 'dry run' || way === 'wrong'))
    return `${way} with ${status} ${code} was charged ${price}`
  return undefined
}
