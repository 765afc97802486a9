import type { ledgerOf } from './service.ts'
import type { Answer } from './target.ts'

/** Answers whose purpose is to give a secret to its owner: they may hold secrets of the account that asked, and new ones. */
const GIVES = /^\/v2\/self-serve\/(api-keys|webhooks|onboarding\/complete|share-profile)|^\/v2\/admin\/grant-plan|\/reveal$|\/rotate$/

/** What an answer would hold if it told of our statements, errors or files. None of it is in what attacks send. */
const INSIDE =
  /read_parquet|usage_ledger|SQLITE_|sqlite_master|node_modules|(Parser|Binder|Catalog|Conversion|IO) Error:|LINE \d+:|\n\s+at \S+ \(/

/** Findings of one kind that are told; the rest are counted. */
const TOLD = 5

/** True where the three books of a whole state file hold as many uses and credits each. */
export const doBooksAgree = ({
  check,
  ledger,
  daily,
  period,
  credits,
  dailyCredits,
  periodCredits,
}: ReturnType<typeof ledgerOf>['sums']): boolean =>
  check === 'ok' && daily === ledger && period === ledger && dailyCredits === credits && periodCredits === credits

/** What a service is judged by. */
export interface Judged {
  readonly dir: string
  /** Words of refusals with a status of 5xx that the case brings about on purpose. */
  readonly meant: readonly string[]
  /** True where the ledger holds uses that were answered to another program. */
  readonly others: boolean
  /** Failures in the log that the case brings about on purpose. */
  readonly fails?: RegExp
}

/** What holds for every answer, gathered while a service is attacked and judged once it has stopped. */
export function auditOf({ dir, meant, others, fails }: Judged) {
  /** Whose each secret is; undefined for those of the service and of nobody. */
  const secrets = new Map<string, string | undefined>()
  const charged = new Map<string, number>()
  const found = new Map<string, string[]>()
  let answers = 0
  let abandoned = 0
  const find = (kind: string, what: string): void => {
    found.set(kind, [...(found.get(kind) ?? []), what])
  }
  const compare = ({ uses, sums }: ReturnType<typeof ledgerOf>): void => {
    const booked = new Map(uses.map(({ requestId, credits }) => [requestId, credits]))
    for (const [id, credits] of charged)
      if (booked.get(id) !== credits)
        find('an answer that the ledger does not hold', `${id}: charged ${credits}, booked ${booked.get(id) ?? 'nothing'}`)
    const unread = [...booked.keys()].filter(id => !charged.has(id))
    if (!others && unread.length > abandoned)
      find('uses in the ledger without an answer', `${unread.length} for ${abandoned} abandoned requests, such as ${unread[0]}`)
    if (!doBooksAgree(sums)) find('books that differ', JSON.stringify(sums))
  }
  return {
    /** Adds to what is looked for. @param account whose it is: it alone may be given it again */
    secret(text: string, account?: string): void {
      if (!secrets.has(hidden(text))) secrets.set(hidden(text), account)
    },
    abandoned: (): void => void abandoned++,
    /** @param account that asked; undefined where nobody known did */
    note(path: string, { status, headers, body, code }: Answer, account?: string): void {
      answers++
      const id = String(headers['x-request-id'])
      if (Number(headers['x-credits-charged'] ?? 0) > 0) {
        if (charged.has(id)) find('one request id on two charged answers', id)
        charged.set(id, Number(headers['x-credits-charged']))
      }
      if (status >= 500 && !meant.includes(code))
        find('an answer of 5xx', `${status} ${code} to ${path.slice(0, 300)}: ${body.slice(0, 300)}`)
      const inside = INSIDE.exec(body)?.[0] ?? (body.includes(dir) ? dir : undefined)
      if (inside !== undefined && !path.startsWith('/docs') && !path.startsWith('/zh/docs') && !path.startsWith('/llms'))
        find('an answer that tells of the inside', `${JSON.stringify(inside)} in ${path.slice(0, 300)}`)
      // A browser's session is given in a cookie.
      const { 'set-cookie': cookie, ...others } = headers
      const heads = JSON.stringify(path.endsWith('/browser-session') ? others : { cookie, ...others })
      const isGiving = GIVES.test(path.split('?', 1)[0]!) && status === 200
      for (const [secret, owner] of secrets) {
        const isOwn = isGiving && owner !== undefined && owner === account
        if ((!isOwn && body.includes(secret)) || heads.includes(secret))
          find('an answer with a secret', `${path.slice(0, 300)}: ${body.slice(0, 200)}`)
      }
    },
    /**
     * @param log everything the service printed
     * @param held what its ledger holds; not looked at where it is absent
     */
    findings(log: string, held?: ReturnType<typeof ledgerOf>) {
      for (const secret of secrets.keys())
        if (log.includes(secret)) find('a secret in the log', `${secret.slice(0, 4)}… at ${log.indexOf(secret)}`)
      const failed = log.split('\n').filter(line => line.includes('"event":"failed"') && !fails?.test(line))
      for (const line of failed) find('a failure of ours in the log', line.slice(0, 600))
      if (held !== undefined) compare(held)
      return {
        failures: [...found].map(([kind, all]) => `${kind} (${all.length}): ${all.slice(0, TOLD).join(' · ')}`),
        figures: { answers, charged: charged.size, 'log lines': log.split('\n').length - 1, 'secrets looked for': secrets.size },
      }
    },
  }
}

/** The random part, by which a secret is found however it is written down. */
const hidden = (secret: string): string => secret.replace(/^(sk_live|sst|whsec)_/, '')
