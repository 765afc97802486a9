/** One charged answer. */
export interface Use {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly dataset: string
  /** RFC 3339 in Taipei; its month is the period charged. */
  readonly at: string
  readonly credits: number
  readonly rows: number
}

/** A read that was refused or failed: counted by day, never charged. */
export type Miss = Pick<Use, 'accountId' | 'keyId' | 'dataset' | 'at'>

/** What the ledger is to write. Somebody waits for a use, nobody for a miss. */
export type Entry = { readonly use: Use; readonly done: () => void; readonly failed: (error: unknown) => void } | { readonly miss: Miss }

/** Tells whoever waits for a batch how it ended: well, unless there is an error. */
export function settle(batch: readonly Entry[], error?: unknown): void {
  for (const entry of batch) if ('use' in entry) error === undefined ? entry.done() : entry.failed(error)
}
