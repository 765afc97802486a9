import type { ledgerOf } from './service.ts'
import type { Answer } from './target.ts'

/**
 * Operations that return a secret to its owner. Their answers may contain secrets of the calling
 * account.
 */
const GIVES = /^\/v2\/self-serve\/(api-keys|webhooks|onboarding\/complete|share-profile)|^\/v2\/admin\/grant-plan|\/reveal$|\/rotate$/

/**
 * Signs of leaked statements, errors or file names in an answer. Attacks do not send any of these
 * texts.
 */
const INSIDE =
  /read_parquet|usage_ledger|SQLITE_|sqlite_master|node_modules|(Parser|Binder|Catalog|Conversion|IO) Error:|LINE \d+:|\n\s+at \S+ \(/

/** Number of findings of one kind to list. Further findings are only counted. */
const LISTED = 5

/**
 * True if the three usage tables of an intact state file have the same number of uses and credits.
 */
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

/** Parameters of an audit. */
export interface Judged {
  readonly dir: string
  /** Error codes of 5xx answers that the case provokes. */
  readonly meant: readonly string[]
  /** True if another program also sends requests. The ledger then has uses of its answers. */
  readonly others: boolean
  /** Pattern of log lines about failures that the case provokes. */
  readonly fails?: RegExp
}

/**
 * Checks the rules for every answer. Collects answers during the attack, and reports after the
 * service has stopped.
 */
export function auditOf({ dir, meant, others, fails }: Judged) {
  /** Account that owns each secret. Undefined for secrets of the service. */
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
        find('an answer missing in the ledger', `${id}: charged ${credits}, booked ${booked.get(id) ?? 'nothing'}`)
    const unread = [...booked.keys()].filter(id => !charged.has(id))
    if (!others && unread.length > abandoned)
      find('uses in the ledger without an answer', `${unread.length} for ${abandoned} abandoned requests, such as ${unread[0]}`)
    if (!doBooksAgree(sums)) find('books that differ', JSON.stringify(sums))
  }
  return {
    /**
     * Adds a secret.
     *
     * @param account its owner, whose answers may contain it
     */
    secret(text: string, account?: string): void {
      if (!secrets.has(hidden(text))) secrets.set(hidden(text), account)
    },
    abandoned: (): void => void abandoned++,
    /** @param account the caller; undefined if unknown */
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
        find('an answer with internal details', `${JSON.stringify(inside)} in ${path.slice(0, 300)}`)
      // The cookie is left out, because it contains the session token of the browser.
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
     * @param ledger contents of the ledger; absent to skip the comparison
     */
    findings(log: string, ledger?: ReturnType<typeof ledgerOf>) {
      for (const secret of secrets.keys())
        if (log.includes(secret)) find('a secret in the log', `${secret.slice(0, 4)}… at ${log.indexOf(secret)}`)
      const failed = log.split('\n').filter(line => line.includes('"event":"failed"') && !fails?.test(line))
      for (const record of failed) find('a failure in the log', record.slice(0, 600))
      if (ledger !== undefined) compare(ledger)
      return {
        failures: [...found].map(([kind, all]) => `${kind} (${all.length}): ${all.slice(0, LISTED).join(' · ')}`),
        figures: { answers, charged: charged.size, 'log lines': log.split('\n').length - 1, 'secrets searched for': secrets.size },
      }
    },
  }
}

/** The random part of a secret. Searching for it also finds the secret without its prefix. */
const hidden = (secret: string): string => secret.replace(/^(sk_live|sst|whsec)_/, '')
