import { expect, it } from 'vitest'
import { auditOf } from './invariants.ts'

const [OWN, OTHERS, SERVICES] = ['sk_live_OwnOwnOwnOwn', 'sk_live_OthersOthers', 'service-token-of-ours']
const BOOKS = { check: 'ok', ledger: 0, daily: 0, period: 0, credits: 0, dailyCredits: 0, periodCredits: 0 } as never
const REVEAL = '/v2/self-serve/api-keys/key_1/reveal'

/** Findings for an answer to account A. */
function foundIn(path: string, body: string): readonly string[] {
  const audit = auditOf({ dir: '/data', meant: [], others: false })
  audit.secret(SERVICES)
  audit.secret(OWN, 'A')
  audit.secret(OTHERS, 'B')
  audit.note(path, { status: 200, headers: { 'x-request-id': 'r' }, body, code: '' }, 'A')
  return audit.findings('', { uses: [], sums: BOOKS }).failures
}

it('the attack campaign accepts an answer with a secret of the caller or with a newly issued secret', () => {
  expect(foundIn(REVEAL, `{"api_key":"${OWN}"}`)).toEqual([])
  expect(foundIn('/v2/self-serve/api-keys', '{"api_key":"sk_live_NewNewNewNew"}')).toEqual([])
})

it.each([
  ["another account's", REVEAL, OTHERS],
  ["the service's own", '/v2/self-serve/webhooks', SERVICES],
  ["the caller's own where no secret belongs", '/v2/account/usage-summary', OWN],
])('the attack campaign reports a secret in an answer: %s', (_, path, secret) => {
  expect(foundIn(path, `{"text":"${secret}"}`)).toEqual([expect.stringContaining('an answer with a secret (1)')])
})

it('the attack campaign reports failures in the log, except those that the attack itself causes', () => {
  const log = ['disk is full', 'a hole'].map(error => `${JSON.stringify({ error, event: 'failed' })}\n`).join('')
  const audit = auditOf({ dir: '/data', meant: [], others: false, fails: /disk is full/ })
  expect(audit.findings(log).failures).toEqual([expect.stringMatching(/^a failure in the log \(1\): .*a hole/)])
})

it('the attack campaign reports a charged answer that is missing in the ledger', () => {
  const audit = auditOf({ dir: '/data', meant: [], others: false })
  audit.note('/v2/datasets', { status: 200, headers: { 'x-request-id': 'r', 'x-credits-charged': '2' }, body: '', code: '' })
  expect(audit.findings('').failures).toEqual([])
  expect(audit.findings('', { uses: [], sums: BOOKS }).failures).toEqual([expect.stringContaining('r: charged 2, booked nothing')])
})
