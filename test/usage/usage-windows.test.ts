import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW, service, type TestService } from '../support.ts'
import { type Holder, holder } from './ledger.ts'

let s: TestService
let currentTime = NOW
let account: Holder
beforeAll(async () => {
  s = await service({ examples: false, now: () => currentTime })
  account = holder(s, 'pro', 'windows@example.test', NOW)
})
beforeEach(() => {
  currentTime = NOW
})
afterAll(() => s.close())

const SUMMARY = '/v2/account/usage-summary'
const BILL = '/v2/account/billing-preview'

const ask = async (path: string, query: string) => (await s.get(`${path}?${query}`, account.key)).json()

/** Credits by day, each a power of two, so a total identifies its days. */
const USED: Readonly<Record<string, number>> = {
  '2025-07-01': 1,
  '2026-05-31': 2,
  '2026-06-01': 4,
  '2026-06-02': 8,
  '2026-06-24': 16,
  '2026-06-25': 32,
  '2026-06-30': 64,
  '2026-07-01': 128,
  '2026-07-02': 256,
  '2026-07-31': 512,
  '2026-08-01': 1_024,
}
const daysIn = (sum: number): readonly string[] => Object.keys(USED).filter(day => (USED[day]! & sum) !== 0)

beforeAll(async () => {
  const { accountId, keyId } = account
  for (const [day, credits] of Object.entries(USED)) {
    // Each day has a use in its first and a use in its last millisecond.
    for (const [time, share] of [
      ['00:00:00.000', 0],
      ['23:59:59.999', credits],
    ] as const)
      await s.control.ledger.record({
        requestId: `req_${day}_${time}`,
        accountId,
        keyId,
        dataset: 'institutional-positioning',
        at: `${day}T${time}+08:00`,
        credits: share,
        rows: 1,
      })
  }
})

describe('M7: usage windows', () => {
  const WINDOWS = [
    ['today', '2026-07-01', '2026-07-01', ['2026-07-01']],
    ['7d', '2026-06-25', '2026-07-01', ['2026-06-25', '2026-06-30', '2026-07-01']],
    ['30d', '2026-06-02', '2026-07-01', ['2026-06-02', '2026-06-24', '2026-06-25', '2026-06-30', '2026-07-01']],
    ['month', '2026-07-01', '2026-07-31', ['2026-07-01', '2026-07-02', '2026-07-31']],
    ['last_month', '2026-06-01', '2026-06-30', ['2026-06-01', '2026-06-02', '2026-06-24', '2026-06-25', '2026-06-30']],
    ['2026-05', '2026-05-01', '2026-05-31', ['2026-05-31']],
    ['2026-08', '2026-08-01', '2026-08-31', ['2026-08-01']],
    ['2025-07', '2025-07-01', '2025-07-31', ['2025-07-01']],
    ['2024-02', '2024-02-01', '2024-02-29', []],
  ] as const
  it('summary and billing preview of a window cover its first and last day entirely', async () => {
    for (const [name, start, end, days] of WINDOWS) {
      const { window, totals, by_day } = await ask(SUMMARY, `window=${name}`)
      expect.soft(window, `window=${name}`).toEqual({ name, start, end, timezone: 'Asia/Taipei' })
      expect.soft(daysIn(totals.credits), `days in the credits, window=${name}`).toEqual(days)
      expect
        .soft(
          by_day.map(({ day }: { day: string }) => day),
          `by_day, window=${name}`,
        )
        .toEqual(days)
      expect.soft(totals, `totals, window=${name}`).toMatchObject({ requests: 2 * days.length, rows: 2 * days.length, errors: 0 })
      const bill = await ask(BILL, `window=${name}`)
      expect.soft(bill.window, `billing preview, window=${name}`).toEqual(window)
      expect
        .soft(bill.lines.slice(1), `lines of the billing preview, window=${name}`)
        .toEqual(days.length === 0 ? [] : [expect.objectContaining({ quantity: totals.requests, credits: totals.credits })])
    }
  })

  it.each([
    ['last_month', '2026-06', 4 + 8 + 16 + 32 + 64, 0, '2026-07-01'],
    ['2026-05', '2026-05', 2, 0, '2026-06-01'],
    ['2024-02', '2024-02', 0, 0, '2024-03-01'],
    ['today', '2026-07', 128 + 256 + 512, 100_000 - 896, '2026-08-01'],
    ['30d', '2026-07', 128 + 256 + 512, 100_000 - 896, '2026-08-01'],
    ['2026-08', '2026-08', 1_024, 100_000 - 1_024, '2026-09-01'],
  ])(
    'window=%s reports the credits of period %s, with none remaining if the period has ended',
    async (name, period, used, remaining, reset) => {
      const { credits } = await ask(SUMMARY, `window=${name}`)
      expect(credits).toEqual({
        period,
        included: 100_000,
        granted: 0,
        refunded: 0,
        used,
        remaining,
        resets_at: `${reset}T00:00:00.000+08:00`,
      })
      expect((await ask(BILL, `window=${name}`)).credits.period).toBe(period)
      const answer = await ask(SUMMARY, `window=${name}&dataset=earnings`)
      expect([answer.totals.credits, answer.credits]).toEqual([0, credits])
    },
  )

  it('the default window is the current month', async () => {
    expect(await ask(SUMMARY, '')).toEqual(await ask(SUMMARY, 'window=month').then(month => ({ ...month, as_of: expect.any(String) })))
  })

  it.each([
    ['2026-06-30T15:59:59.999Z', 'today', '2026-06-30', '2026-06-30'],
    ['2026-06-30T16:00:00.000Z', 'today', '2026-07-01', '2026-07-01'],
    ['2026-06-30T15:59:59.999Z', 'month', '2026-06-01', '2026-06-30'],
    ['2026-06-30T16:00:00.000Z', 'last_month', '2026-06-01', '2026-06-30'],
    ['2026-12-31T16:00:00.000Z', 'last_month', '2026-12-01', '2026-12-31'],
    ['2026-12-31T16:00:00.000Z', '7d', '2026-12-26', '2027-01-01'],
    ['2028-03-01T00:00:00.000Z', 'last_month', '2028-02-01', '2028-02-29'],
    ['2028-03-30T00:00:00.000Z', '30d', '2028-03-01', '2028-03-30'],
  ])('at %s, the window %s is from %s to %s', async (time, name, start, end) => {
    currentTime = new Date(time)
    expect((await ask(SUMMARY, `window=${name}`)).window).toMatchObject({ start, end })
  })
})

describe('M7: invalid parameters', () => {
  const INVALID: readonly (readonly [query: string, mistakes: readonly (readonly [name: string, type: string])[]])[] = [
    ['window=century', [['window', 'enum']]],
    ["window=month'--", [['window', 'enum']]],
    ['window=', [['window', 'enum']]],
    ['window=Month', [['window', 'enum']]],
    ['window=%20today', [['window', 'enum']]],
    ['window=2026-13', [['window', 'enum']]],
    ['window=2026-00', [['window', 'enum']]],
    ['window=2026-7', [['window', 'enum']]],
    ['window=2026-07-01', [['window', 'enum']]],
    ['window=__proto__', [['window', 'enum']]],
    ['window=7d&window=7d', [['window', 'repeated_parameter']]],
    ['dataset=unknown', [['dataset', 'enum']]],
    ["dataset=events'--", [['dataset', 'enum']]],
    ['dataset=', [['dataset', 'enum']]],
    ['dataset=events&dataset=events', [['dataset', 'repeated_parameter']]],
    ['windw=7d', [['windw', 'unknown_parameter']]],
    [
      'window=century&dataset=unknown&limit=1',
      [
        ['limit', 'unknown_parameter'],
        ['window', 'enum'],
        ['dataset', 'enum'],
      ],
    ],
  ]
  it('summary and billing preview refuse invalid parameters and list every mistake', async () => {
    for (const [query, mistakes] of INVALID)
      for (const path of [SUMMARY, BILL]) {
        const response = await s.get(`${path}?${query}`, account.key)
        const { detail, error } = response.json()
        const found = Array.isArray(detail) ? detail.map(({ loc, type }) => [loc.at(-1), type]) : detail
        expect.soft([response.statusCode, found], `${path}?${query}`).toEqual([422, mistakes])
        expect.soft(error, `${path}?${query}`).toMatchObject({ error_code: 'invalid_parameter', blocking_gate: null })
      }
  })

  it('the error for an unknown name suggests the nearest known name', async () => {
    expect((await ask(SUMMARY, 'windw=7d')).detail[0].msg).toContain('did you mean window?')
    expect((await ask(SUMMARY, 'dataset=institutional_positionin')).detail[0].msg).toContain('did you mean institutional-positioning?')
    expect((await ask(SUMMARY, 'window=century')).detail[0].msg).toContain(
      'today, 7d, 30d, month, last_month, YYYY-MM between 2000-01 and 2099-12',
    )
  })

  it('dataset= accepts a slug and its id with underscores', async () => {
    for (const path of [SUMMARY, BILL])
      for (const name of ['institutional-positioning', 'institutional_positioning'])
        expect.soft((await s.get(`${path}?dataset=${name}`, account.key)).statusCode, `${path} ${name}`).toBe(200)
  })

  it.each(['search', 'query'])('usage can be filtered by %s, although it is not a dataset', async slug => {
    for (const path of [SUMMARY, BILL]) expect((await s.get(`${path}?dataset=${slug}`, account.key)).statusCode).toBe(200)
    expect((await ask(SUMMARY, `dataset=${slug.slice(0, -1)}`)).detail[0].msg).toContain(`did you mean ${slug}?`)
  })
})
