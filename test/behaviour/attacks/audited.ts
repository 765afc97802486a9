import type { IncomingHttpHeaders } from 'node:http'
import { SECRETS } from '../../support.ts'
import { ask } from './ask.ts'
import { auditOf, type Judged } from './invariants.ts'
import type { Caller, ledgerOf } from './service.ts'
import type { Answer, Attack } from './target.ts'

/** Headers that say who asks, those of sessions first. */
const CREDENTIALS = ['x-self-serve-token', 'x-admin-token', 'authorization', 'x-api-key']
const MADE_SECRET = /sk_live_[0-9A-Za-z]{38}|sst_[\w-]{43}|whsec_[\w+/]{43}=/g

/** Holds the answers and log of services on one data folder to what holds for all of them. Who asked is read from the headers. */
export type Audit = ReturnType<typeof auditing>

/**
 * Knows the secrets of the service and of its callers, and learns those that answers give.
 */
export function auditing(
  { dir, callers }: { readonly dir: string; readonly callers: readonly Caller[] },
  { meant = [], others = false, fails }: Partial<Omit<Judged, 'dir'>> = {},
) {
  const audit = auditOf({ dir, meant, others, ...(fails && { fails }) })
  for (const value of Object.values(SECRETS)) audit.secret(value)
  const accounts = new Map<string, string>([[SECRETS.ADMIN_TOKEN, 'the operator']])
  const belongs = (value: string, account: string | undefined): void => {
    audit.secret(value, account)
    if (account !== undefined) accounts.set(value, account)
  }
  for (const { key, token, accountId } of callers) for (const value of [key, token]) belongs(value, accountId)
  const note = (path: string, answer: Answer, headers: Attack['headers'] = {}): void => {
    const account = CREDENTIALS.flatMap(name => headers[name] ?? []).map(value => accounts.get(value.replace(/^Bearer /i, '')))[0]
    audit.note(path, answer, account)
    for (const made of answer.body.match(MADE_SECRET) ?? []) belongs(made, account)
  }
  return {
    note,
    /** Adds to what no log line and no answer may hold. */
    secret: (text: string): void => audit.secret(text),
    /** Of a request that was given up the ledger may hold the use. */
    abandoned: audit.abandoned,
    /** Asks as the function of that name does, and notes the answer; where none came, the ledger may hold the use. */
    async ask(...[agent, url, headers, body]: Parameters<typeof ask>): ReturnType<typeof ask> {
      const answer = await ask(agent, url, headers, body).catch(error => {
        audit.abandoned()
        throw error
      })
      note(pathOf(url), answerOf(answer.status, answer.headers, answer.body.toString('latin1')), headers)
      return answer
    },
    /**
     * What did not hold, each a sentence, and what was counted.
     *
     * @param log everything the services printed
     * @param ledger once the last has stopped; absent where the case itself compares it with what callers were told
     */
    findings: (log: string, ledger?: ReturnType<typeof ledgerOf>) => audit.findings(log, ledger),
  }
}

const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

/** An answer with the word of its refusal. @param body with a byte a character */
export function answerOf(status: number, headers: IncomingHttpHeaders, body: string): Answer {
  const [, code = ''] = status >= 400 ? (/"error_code":"(\w+)"/.exec(body) ?? []) : []
  return { status, headers, body, code }
}
