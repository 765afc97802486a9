import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openMailer, openTransport } from '../../src/mail/index.ts'
import { openState } from '../../src/state/db.ts'
import { postOffice } from '../mail/mail-server.ts'
import { NOW, type ServiceOptions, service } from '../support.ts'

type Headers = Readonly<Record<string, string>>
type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

export interface SignedIn {
  readonly token: string
  readonly accountId: string
  /** The key created with the first sign-in. Absent after later sign-ins. */
  readonly apiKey?: { readonly key_id: string; readonly api_key: string }
  readonly answer: Readonly<Record<string, unknown>>
}

const MINUTE_MS = 60_000
/** Interval of the mailer. Longer than any test, because tests run the mailer themselves. */
const NEVER_MS = 86_400_000
const SECRET = /sk_live_[0-9A-Za-z]{38}|sst_[\w-]{43}|whsec_[\w+/]{43}=/g

/** A service with its own mail server, a manual clock, and customers who sign in. */
export async function portal(options: Omit<ServiceOptions, 'now'> = {}) {
  let time = NOW
  const now = () => time
  const s = await service({ examples: false, ...options, now })
  const post = await postOffice()
  const log = createLog('info', { write: line => void s.lines.push(line) })
  const mailer = openMailer(s.control.outbox, openTransport(post.url, 'twmd <no-reply@twmd.test>'), now, log, NEVER_MS, s.control.notices)
  /** Every key, token and code of the run. */
  const secrets = new Set<string>()
  const noted = (text: string): void => void text.match(SECRET)?.forEach(secret => void secrets.add(secret))

  const send = async (method: Method, url: string, headers: Headers = {}, body?: unknown, ip = '127.0.0.1') => {
    const payload = body === undefined ? {} : { payload: body as object }
    const response = await s.app.inject({ method, url, headers, remoteAddress: ip, ...payload })
    noted(response.body)
    return response
  }
  let senders = 0
  /**
   * A sender address in a new network, so that limits per sender apply only to addresses that a
   * test names.
   */
  const elsewhere = (): string => `10.${senders >> 8}.${senders++ & 255}.1`
  const start = (email: unknown, { ip = elsewhere(), locale }: { ip?: string; locale?: string } = {}) =>
    send('POST', '/v2/self-serve/onboarding/start', {}, { email, locale }, ip)
  const complete = (flowId: string, code: string, ip = elsewhere()) =>
    send('POST', '/v2/self-serve/onboarding/complete', {}, { flow_id: flowId, code }, ip)
  /** Sends due mails until none is left. */
  const deliver = async (): Promise<void> => {
    const before = post.mails.length
    await mailer.sendDue()
    if (post.mails.length > before) await deliver()
  }
  /** Sends due mails. @returns the code of the newest mail to that address */
  const codeFor = async (email: string): Promise<string> => {
    await deliver()
    const code = /\d{8}/.exec(post.mails.findLast(({ to }) => to[0]!.toLowerCase() === email.toLowerCase())!.text)![0]
    secrets.add(code)
    return code
  }
  return {
    ...s,
    post,
    secrets,
    now,
    send,
    start,
    complete,
    codeFor,
    deliver,
    /** Sets the clock back to its start. */
    rewind(): void {
      time = NOW
    },
    /** Advances the clock. */
    pass(minutes: number): void {
      time = new Date(time.getTime() + minutes * MINUTE_MS)
    },
    async signIn(email: string): Promise<SignedIn> {
      const { flow_id } = (await start(email)).json()
      const answer = (await complete(flow_id, await codeFor(email))).json()
      return { token: answer.self_serve_token, accountId: answer.account.account_id, apiKey: answer.api_key, answer }
    },
    /** Sends a request as a signed-in customer. */
    as: ({ token }: Pick<SignedIn, 'token'>, method: Method, path: string, body?: unknown) =>
      send(method, `/v2/self-serve/${path}`, { 'x-self-serve-token': token }, body),
    keyOn(...[plan, email]: Parameters<typeof s.keyOn>): string {
      const key = s.keyOn(plan, email)
      secrets.add(key)
      return key
    },
    /**
     * Sends a request with an API key.
     *
     * @returns status and, for a refusal, error code
     */
    async tried(key: string): Promise<readonly [status: number, code?: string]> {
      const response = await send('GET', '/v2/account/entitlements', { 'x-api-key': key })
      return response.statusCode === 200 ? [200] : [response.statusCode, response.json().error.error_code]
    },
    /** Rows of the state file, read over another connection. */
    rows: (sql: string, ...values: readonly unknown[]): readonly unknown[] => apart(s.dir, db => db.prepare(sql).all(...values)),
    /** Changes the state file over a separate connection. */
    tamper: (sql: string, ...values: readonly unknown[]): void =>
      apart(s.dir, db => {
        db.pragma('foreign_keys = OFF')
        db.prepare(sql).run(...values)
      }),
    /** The bytes of the state file and its write-ahead log, like a thief would read them. */
    stolen: (): string =>
      ['', '-wal', '-shm']
        .map(ending => `${s.dir}/state.sqlite${ending}`)
        .filter(existsSync)
        .map(file => readFileSync(file, 'latin1'))
        .join(''),
    /** Secrets of the run that the log contains. */
    leaked: (): readonly string[] => {
      expect(secrets.size, 'secrets to search for').toBeGreaterThan(0)
      expect(s.lines.length, 'lines to look in').toBeGreaterThan(0)
      return [...secrets].filter(secret => s.lines.join('').includes(secret.replace(/^(sk_live|sst|whsec)_/, '')))
    },
    async close() {
      await mailer.close()
      await post.close()
      await s.close()
    },
  }
}

export type Portal = Awaited<ReturnType<typeof portal>>
type Response = Awaited<ReturnType<Portal['send']>>

function apart<T>(dir: string, work: (db: ReturnType<typeof openState>) => T): T {
  const db = openState(`${dir}/state.sqlite`)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/**
 * Checks the format of a refusal, which has two more fields under `/delta-sharing`.
 *
 * @returns its code
 */
export function refusalOf({ headers, body }: Pick<Response, 'headers' | 'body'>): string {
  const { detail, error, ...more } = JSON.parse(body)
  expect([{}, { errorCode: error.error_code, message: error.error_message }]).toContainEqual(more)
  expect(Object.keys(error).slice(0, 6)).toEqual(['error_code', 'error_message', 'blocking_gate', 'dataset', 'request_id', 'docs_url'])
  expect(error.request_id).toBe(headers['x-request-id'])
  expect(Array.isArray(detail) || detail === error.error_message).toBe(true)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(body).not.toMatch(/SELECT|sqlite|node_modules|\.ts\b|\n\s+at |sk_live_[0-9A-Za-z]|sst_[\w-]{43}/i)
  return error.error_code
}

/**
 * Checks the format of a refusal.
 *
 * @returns its status and code; no code for a success
 */
export const refused = (response: Response): readonly [status: number, code: string | undefined] => [
  response.statusCode,
  response.statusCode < 400 ? undefined : refusalOf(response),
]
