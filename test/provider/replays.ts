import { keyReused, Refused } from './refusals.ts'

/** What a request was answered with, to be answered again. */
export interface Answer {
  readonly status: number
  readonly body: object
}

interface Kept {
  readonly what: string
  readonly answer: Answer
}

/** Answers under the key their requests carried: the same request again is answered from here, and done once. */
export function openReplays() {
  const kept = new Map<string, Kept>()
  return {
    /**
     * @param key of the request; undefined for one without
     * @param what method, path and body together
     * @throws Refused when the key came with another request before
     */
    once(key: string | undefined, what: string, work: () => object): Answer & { readonly replayed: boolean } {
      if (key === undefined) return { status: 200, body: work(), replayed: false }
      if (key.length > 255) throw new Refused(400, 'Idempotency-Key is longer than 255 characters.')
      const before = kept.get(key)
      if (before && before.what !== what) throw keyReused(key)
      if (before) return { ...before.answer, replayed: true }
      const answer = { status: 200, body: work() }
      kept.set(key, { what, answer })
      return { ...answer, replayed: false }
    },
  }
}
