import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ingestFiles } from '../../ingest/index.ts'
import { body, feeds, t86Body } from '../fixtures/ingest/bodies.ts'
import { weekdays } from '../fixtures/publish/rows.ts'
import { SECRETS, type TestService } from '../support.ts'

export const FEED = 'twse-t86'
export const TRADES = 'institutional-positioning'
export const NETS = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [String(2330 + nth), [nth + 1, 7 * nth, -nth] as const]))
export const ADMIN = { 'x-admin-token': SECRETS.ADMIN_TOKEN }

/**
 * Actions of an operator: reads the admin API, ingests files, and settles (publishes or discards)
 * quarantined files.
 */
export function operatorOf(s: TestService) {
  // Each test uses its own pair of days.
  const days = weekdays('2026-03-02', 80)[Symbol.iterator]()
  const read = async (path: string) => {
    const answer = await s.get(`/v2/admin/${path}`, undefined, ADMIN)
    expect([path, answer.statusCode]).toEqual([path, 200])
    return answer.json()
  }
  const ingest = (file: string, accept: readonly string[] = []) =>
    ingestFiles(s.workspace, feeds.get(FEED)!, [file], { requestedDay: undefined, accept, progress: () => {} })
  return {
    read,
    ingest,
    decide: (path: string, payload: object = {}) =>
      s.app.inject({ method: 'POST', url: `/v2/admin/quarantine/${path}`, headers: ADMIN, payload }),
    ingestDay: (day: string, nets: Parameters<typeof t86Body>[1]) => ingest(body(s, `T86_${day}.json`, t86Body(day, nets))),
    /** The audit log's entries about settling one quarantined file. */
    actions: (id: string) =>
      s.control.db
        .prepare(
          "SELECT actor, action, account_id, target, facts FROM audit_log WHERE action LIKE 'quarantine %' AND target = ? ORDER BY id",
        )
        .all(id),
    /** The listed entry of a quarantined file. Undefined after it was settled. */
    listed: async (id: string) => (await read('quarantine')).data.find((entry: { readonly id: string }) => entry.id === id),
    /** Ingests a day, and then a second day with the same rows, which is refused. */
    async refused() {
      const [first, day] = [days.next().value!, days.next().value!]
      // No other pair of days has the same rows.
      const nets = { ...NETS, 2331: [Number(first.replaceAll('-', '')), 0, 0] as const }
      const write = (date: string): string => {
        const file = join(s.dir, `T86_${date.replaceAll('-', '')}.json`)
        writeFileSync(file, t86Body(date, nets))
        return file
      }
      await ingest(write(first))
      const { results } = await ingest(write(day))
      expect(results.map(({ outcome, said }) => [outcome, said])).toEqual([['refused', 'same_body']])
      const file = `T86_${day.replaceAll('-', '')}.json`
      const { id } = (await read('quarantine')).data.find((entry: { readonly file: string }) => entry.file === file)
      return { id: id as string, file, first, day }
    },
  }
}
