import type { IncomingHttpHeaders } from 'node:http'
import { SECRETS } from '../../support.ts'
import { ask } from './ask.ts'
import { auditOf, type Judged } from './invariants.ts'
import type { Caller, ledgerOf } from './service.ts'
import type { Answer, Attack } from './target.ts'

/** Headers that identify the caller, session headers first. */
const CREDENTIALS = ['x-self-serve-token', 'x-admin-token', 'authorization', 'x-api-key']
const MADE_SECRET = /sk_live_[0-9A-Za-z]{38}|sst_[\w-]{43}|whsec_[\w+/]{43}=/g

/**
 * Checks all answers and logs of the services on one data folder against the rules for every answer
 * (`invariants.ts`). Reads the caller's identity from the request headers.
 */
export type Audit = ReturnType<typeof auditing>

/**
 * Starts an audit with the secrets of the service and its callers. Adds secrets that answers issue.
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
    /** Adds a text that no log line and no answer may contain. */
    secret: (text: string): void => audit.secret(text),
    /** Records an abandoned request. The ledger may or may not contain its use. */
    abandoned: audit.abandoned,
    /**
     * Calls `ask` and records the answer. Without an answer, the ledger may still contain the use.
     */
    async ask(...[agent, url, headers, body]: Parameters<typeof ask>): ReturnType<typeof ask> {
      const answer = await ask(agent, url, headers, body).catch(error => {
        audit.abandoned()
        throw error
      })
      note(pathOf(url), answerOf(answer.status, answer.headers, answer.body.toString('latin1')), headers)
      return answer
    },
    /**
     * Returns the violations, each a sentence, and the counts.
     *
     * @param log everything the services printed
     * @param ledger read after the last service has stopped; absent if the case compares the ledger
     * itself
     */
    findings: (log: string, ledger?: ReturnType<typeof ledgerOf>) => audit.findings(log, ledger),
  }
}

const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

/**
 * An answer with its error code.
 *
 * @param body one character per byte
 */
export function answerOf(status: number, headers: IncomingHttpHeaders, body: string): Answer {
  const [, code = ''] = status >= 400 ? (/"error_code":"(\w+)"/.exec(body) ?? []) : []
  return { status, headers, body, code }
}
