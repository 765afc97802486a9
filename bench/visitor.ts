import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { answer } from './child.ts'

/** Milliseconds between a page and the next one. */
const PAUSE_MS = 5

let visit: { isOver: boolean; readonly done: Promise<number> } | null = null

async function load(url: string, paths: readonly string[], isOver: () => boolean): Promise<number> {
  let loaded = 0
  while (!isOver()) {
    const { statusCode, body } = await request(`${url}${paths[loaded % paths.length]}`, { headers: { 'accept-encoding': 'gzip' } })
    if (statusCode !== 200) throw new Error(`${paths[loaded % paths.length]} was answered with ${statusCode}`)
    // A browser decodes on its own processor; what arrives is let go here.
    await body.dump({ limit: Number.MAX_SAFE_INTEGER })
    loaded++
    await sleep(PAUSE_MS)
  }
  return loaded
}

answer({
  /** Loads one page after the other until it is told to stop. */
  begin(url: string, paths: readonly string[]): void {
    const state = { isOver: false }
    visit = Object.assign(state, { done: load(url, paths, () => state.isOver) })
  },
  /** @returns pages loaded @throws when one was not answered with 200 */
  async end(): Promise<number> {
    visit!.isOver = true
    return visit!.done
  },
})
