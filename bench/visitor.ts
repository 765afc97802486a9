import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { answer } from './child.ts'

const PAUSE_MS = 5

let visit: { isOver: boolean; readonly done: Promise<number> } | null = null

async function load(url: string, paths: readonly string[], isOver: () => boolean): Promise<number> {
  let loaded = 0
  while (!isOver()) {
    const { statusCode, body } = await request(`${url}${paths[loaded % paths.length]}`, { headers: { 'accept-encoding': 'gzip' } })
    if (statusCode !== 200) throw new Error(`${paths[loaded % paths.length]} was answered with ${statusCode}`)
    // Discards the body without decoding, because a real visitor decodes it on another machine.
    await body.dump({ limit: Number.MAX_SAFE_INTEGER })
    loaded++
    await sleep(PAUSE_MS)
  }
  return loaded
}

answer({
  begin(url: string, paths: readonly string[]): void {
    const state = { isOver: false }
    visit = Object.assign(state, { done: load(url, paths, () => state.isOver) })
  },
  /**
   * @returns number of loaded pages
   * @throws Error if a status was not 200
   */
  async end(): Promise<number> {
    visit!.isOver = true
    return visit!.done
  },
})
