import { readdirSync, readlinkSync } from 'node:fs'
import { expect } from 'vitest'
import { fetchFeed } from '../../../ingest/index.ts'
import { runSchedule } from '../../../ingest/schedule/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { openIntake } from '../../../src/cli/publish/intake.ts'
import { createLog, readConfig } from '../../../src/core/index.ts'
import { startService } from '../../../src/main.ts'
import { fetchSetup, type Reply } from '../../fixtures/fetch/source.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'
import { postOffice } from '../../mail/mail-server.ts'
import { SECRETS } from '../../support.ts'
import { receiver } from '../../webhooks/receiver.ts'

/** A time in Taipei, for example `2026-06-24 18:00`. */
export const taipeiTime = (text: string): Date => new Date(`${text.replace(' ', 'T')}:00+08:00`)

/**
 * Waits for an asynchronous effect: a mail, a delivery, or a release being served. The time limit
 * is in real time, not that of the test clock.
 */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 20))
}

/**
 * A running service, the exchanges from which it fetches, a mail server and a schedule. All of them
 * use one clock.
 */
export async function openWorld({
  start,
  reply,
  scheduled,
}: {
  readonly start: string
  readonly reply: Reply
  readonly scheduled: readonly string[]
}) {
  const f = await fetchSetup({ reply, now: taipeiTime(start) })
  const office = await postOffice()
  const hooks = await receiver()
  const lines: string[] = []
  const config = readConfig({
    DATA_DIR: f.dir,
    PORT: '0',
    LOG_LEVEL: 'info',
    MAIL_URL: office.url,
    DUCKDB_THREADS: '1',
    DUCKDB_MEMORY_LIMIT: '1GB',
    CACHE_BYTES: String(2 ** 26),
    WEBHOOK_PRIVATE_HOSTS: 'on',
  })
  const service = await startService({
    config,
    secrets: SECRETS,
    log: createLog('info', { write: line => void lines.push(line) }),
    clock: f.clock,
    intake: openIntake(config),
  })
  const workspace = await f.workspace()
  const json = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${service.url}${path}`, { headers })
    // biome-ignore lint/suspicious/noExplicitAny: the tests check the parsed answer without a type.
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
  }
  return {
    url: service.url,
    control: service.control,
    mails: office.mails,
    lines,
    clock: f.clock,
    /** Sets the answers of the exchanges. */
    reply: f.source.reply,
    json,
    admin: async (path: string) => (await json(`/v2/admin/${path}`, { 'x-admin-token': SECRETS.ADMIN_TOKEN })).body,
    discard: (id: string, note: string) =>
      fetch(`${service.url}/v2/admin/quarantine/${id}/discard`, {
        method: 'POST',
        headers: { 'x-admin-token': SECRETS.ADMIN_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify({ note }),
      }),
    /** Advances the clock to a time in Taipei. Feeds are fetched when they are due. */
    async pass(moment: string): Promise<void> {
      const end = taipeiTime(moment).getTime()
      const controller = new AbortController()
      await runSchedule({
        dataDir: f.dir,
        feeds: scheduled.map(name => feeds.get(name)!),
        fetcher: f.fetcher,
        signal: controller.signal,
        clock: f.clock,
        random: () => 0,
        log: createLog('silent'),
        withWorkspace: work => work(workspace),
        async wait(time) {
          if (time.getTime() >= end) controller.abort()
          f.pass(Math.max(0, Math.min(time.getTime(), end) - f.clock().getTime()))
          await service.refresh()
        },
      })
    },
    /** Fetches a day again, like an operator would. */
    async fetchAgain(feed: string, day: string) {
      const fetched = await fetchFeed(workspace, f.fetcher, feeds.get(feed)!, { wanted: { from: day, to: day }, again: true })
      await service.refresh()
      return fetched
    },
    /** Signs in by mailed code and registers a webhook for a dataset. */
    async follow(email: string, slug: string): Promise<void> {
      const post = async (path: string, body: object, token?: string) => {
        const headers = { 'content-type': 'application/json', ...(token !== undefined && { 'x-self-serve-token': token }) }
        const answer = await fetch(`${service.url}/v2/self-serve/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        expect([path, answer.status]).toEqual([path, 200])
        // biome-ignore lint/suspicious/noExplicitAny: the tests check the parsed answer without a type.
        return (await answer.json()) as any
      }
      const { flow_id } = await post('onboarding/start', { email })
      await until(() => office.mails.some(({ to }) => to.includes(email)))
      const code = /\d{8}/.exec(office.mails.find(({ to }) => to.includes(email))!.text)![0]
      const { self_serve_token } = await post('onboarding/complete', { flow_id, code })
      const events = ['dataset.published', 'dataset.revised', 'dataset.withdrawn', 'dataset.late']
      await post('webhooks', { url: hooks.url, events, datasets: [slug] }, self_serve_token)
    },
    /** The received webhook messages. Waits until there are `count`. */
    async messages(count: number) {
      await until(() => hooks.messages.length >= count)
      return hooks.messages.map(({ event: { type, data } }) => [type, data['data_date_from'] ?? data['freshness_as_of']])
    },
    keyOn(plan: 'free' | 'pro', email: string): string {
      const account = service.control.accounts.ensure(readEmail(email)!, f.clock())
      service.control.accounts.grantPlan(account.id, plan, {}, f.clock())
      return service.control.keys.issue(account.id, 'week', f.clock()).secret
    },
    descriptors: (): number => readdirSync('/proc/self/fd').length,
    /** Number of connections to the state file. */
    openStateFiles: (): number => readdirSync('/proc/self/fd').filter(isStateFile).length,
    async close() {
      await service.stop()
      await office.close()
      hooks.close()
      await f.close()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

function isStateFile(descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith('/state.sqlite')
  } catch {
    return false
  }
}
