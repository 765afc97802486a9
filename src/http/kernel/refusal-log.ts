import type { Log, Refusal, RefusalCode } from '../../core/index.ts'

/** Some callers retry immediately after these refusals. */
export const FLOODS: ReadonlySet<RefusalCode> = new Set(['rate_limited', 'concurrency_limited', 'overloaded'])
/** Minimum time between two log lines for the same account and code, in ms. */
const EVERY_MS = 10_000

export interface RefusalLog {
  /** @param account id of the account, or null without an account */
  write(refusal: Refusal, account: string | null, facts: Readonly<Record<string, unknown>>): void
  /** Logs the remaining counts. Must be the last call. */
  close(): void
}

/**
 * Logs refusals. In a flood, logs the first refusal of an account and code, then only counts
 * further refusals. Callers without an account share one count. Counts are logged every ten
 * seconds.
 */
export function createRefusalLog(log: Log): RefusalLog {
  const floods = new Map<string, { readonly code: RefusalCode; readonly account: string | null; requests: number }>()
  let timer: NodeJS.Timeout | undefined
  const writeCounts = (): void => {
    for (const [name, flood] of floods) {
      if (flood.requests === 0) floods.delete(name)
      else log('refused', { ...flood, seconds: EVERY_MS / 1_000 })
      flood.requests = 0
    }
    if (floods.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    write(refusal, account, facts) {
      const { wireCode: code } = refusal
      if (account !== null && !FLOODS.has(code)) return log('refused', facts)
      const name = `${code} ${account}`
      const flood = floods.get(name)
      if (flood) return void flood.requests++
      floods.set(name, { code, account, requests: 0 })
      timer ??= setInterval(writeCounts, EVERY_MS).unref()
      log('refused', { ...facts, account })
    },
    close() {
      writeCounts()
      clearInterval(timer)
    },
  }
}
