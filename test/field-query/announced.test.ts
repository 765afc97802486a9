import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quarter, quarterly } from '../fixtures/fields/quarterly.ts'

let q: Awaited<ReturnType<typeof quarterly>>
beforeEach(async () => {
  q = await quarterly()
})
afterEach(() => q.s.close())

const publish: typeof q.publish = (day, ...rows) => q.publish(day, ...rows)
const eps: typeof q.eps = (...args) => q.eps(...args)

describe('announced figures', () => {
  it('a figure is returned as of its announcement day and later days', async () => {
    const release = await publish('2026-06-01', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, '2026-05-14'))
    expect(await eps('2026-02-25')).toBe('not_announced')
    expect(await eps('2026-02-26')).toEqual(['2025-Q4', 4, '2026-02-26', release])
    expect(await eps('2026-05-13')).toEqual(['2025-Q4', 4, '2026-02-26', release])
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', release])
    expect(await eps('2026-06-01')).toEqual(['2026-Q1', 1, '2026-05-14', release])
  })

  it('a revised figure returns each former value as of the days on which the value applied', async () => {
    const first = await publish('2026-05-20', quarter('2026-Q1', 1, '2026-05-14'))
    const second = await publish('2026-06-05', quarter('2026-Q1', 1.1, '2026-06-04'))
    const third = await publish('2026-06-20', quarter('2026-Q1', 1.2, '2026-06-19'))
    expect(await eps('2026-05-14')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-03')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-04')).toEqual(['2026-Q1', 1, '2026-05-14', first])
    expect(await eps('2026-06-05')).toEqual(['2026-Q1', 1.1, '2026-06-04', second])
    expect(await eps('2026-06-19')).toEqual(['2026-Q1', 1.1, '2026-06-04', second])
    expect(await eps('2026-06-20')).toEqual(['2026-Q1', 1.2, '2026-06-19', third])
  })
})

describe('figures without an announcement day', () => {
  it('a figure without an announcement day is returned as of the day of its first publication and later days', async () => {
    const first = await publish('2026-05-20', quarter('2025-Q4', 4, '2026-02-26'), quarter('2026-Q1', 1, null))
    const later = await publish('2026-06-20', quarter('2026-Q1', 1, null, '2317'))
    expect(await eps('2026-06-20')).toEqual(['2026-Q1', 1, null, later])
    expect(await eps('2026-06-19')).toEqual(['2026-Q1', 1, null, first])
    expect(await eps('2026-05-20')).toEqual(['2026-Q1', 1, null, first])
    expect(await eps('2026-05-19')).toBe('announcement_date_unknown')
    expect(await eps('2026-03-30')).toEqual(['2025-Q4', 4, '2026-02-26', expect.anything()])
  })
})
