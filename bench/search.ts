import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import { shuffled } from './data.ts'
import { ensureSecurities, SEARCH_FOLDER, SECURITIES, type Security } from './search-data.ts'
import type { Served } from './server.ts'
import { type Line, median, quantile } from './table.ts'

/** Returns the text that a user types to find a security. */
const KINDS: Readonly<Record<string, (security: Security) => string>> = {
  'a code': ({ ticker }) => ticker,
  'the start of a code': ({ ticker }) => ticker.slice(0, 3),
  'a name': ({ name }) => name,
  'two characters of a name': ({ name }) => name.slice(0, 2),
  'three characters of a name': ({ name }) => name.slice(0, 3),
  'one character': ({ name }) => name.slice(0, 1),
  'a code and a name': ({ ticker, name }) => `${ticker} ${name.slice(0, 3)}`,
  'a character of every warrant': () => '購',
  'words that most have': ({ name }) => `${[...name.slice(0, 3)].join(' ')} 53 54 55 56 57 購 龘`,
  'a text without results': ({ ticker }) => `${ticker.slice(0, 2)}x${ticker.slice(2)}`,
}

export async function measureSearch(count: number): Promise<readonly Line[]> {
  await ensureSecurities()
  const server = startChild('server.ts')
  try {
    const { url, keys } = await server.ask<Served>('start', SEARCH_FOLDER)
    const searched = shuffled(SECURITIES).slice(0, count)
    const times = new Map<string, number[]>(Object.keys(KINDS).map(kind => [kind, []]))
    const whole: number[] = []
    for (const [turn, security] of [...searched.slice(0, WARM_UP), ...searched].entries()) {
      for (const [kind, text] of Object.entries(KINDS)) {
        const { ms, search } = await ask(`${url}/v2/search?q=${encodeURIComponent(text(security))}`, keys[turn % keys.length]!)
        if (turn < WARM_UP) continue
        times.get(kind)!.push(search)
        whole.push(ms)
      }
    }
    const rss = (await server.ask<number>('rss')) / 2 ** 20
    return [...lines(times, whole), { name: '  server memory after that, RSS', measured: rss, unit: 'MiB' }]
  } finally {
    await server.stop()
  }
}

function lines(times: ReadonlyMap<string, readonly number[]>, whole: readonly number[]): readonly Line[] {
  const all = [...times.values()].flat()
  const name = `search over ${SECURITIES.length.toLocaleString('en')} symbols`
  return [
    { name: `${name}, p50`, measured: median(all), unit: 'ms', goal: { atMost: 2 } },
    ...[...times].map(([kind, own]) => ({ name: `  by ${kind}, p50`, measured: median(own), unit: 'ms' })),
    { name: '  p99 of all', measured: quantile(all, 0.99), unit: 'ms' },
    { name: '  the whole request over HTTP, p50', measured: median(whole), unit: 'ms' },
  ]
}

const WARM_UP = 20

/** Repeats the request while the service builds the index. */
async function ask(url: string, key: string): Promise<{ readonly ms: number; readonly search: number }> {
  const began = performance.now()
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  await response.arrayBuffer()
  const ms = performance.now() - began
  if (response.status === 200) return { ms, search: Number(/search;dur=([\d.]+)/.exec(response.headers.get('server-timing')!)![1]) }
  if (response.status !== 503) throw new Error(`${url} was answered ${response.status}`)
  await sleep(500)
  return ask(url, key)
}
