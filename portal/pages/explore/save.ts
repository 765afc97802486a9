import { type Refused, recordCredits, refusedBy } from '../../api/client.ts'
import { LANGUAGE } from '../../parts/language.ts'
import { saveAs } from '../../parts/save.ts'

export interface Saved {
  readonly state: 'done' | 'failed'
  readonly charged: number | null
  /** Why the download failed. Null if it finished or was aborted. */
  readonly refused: Refused | null
  /** Address of the next page. Null on the last page. */
  readonly next: string | null
}

const FAILED: Saved = { state: 'failed', charged: null, refused: null, next: null }

/**
 * Downloads a complete answer. An aborted download leaves no file.
 *
 * @param onBytes receives the number of decompressed bytes so far
 */
export async function save(address: string, name: string, signal: AbortSignal, onBytes: (received: number) => void): Promise<Saved> {
  try {
    const headers = { 'x-portal': '1', 'accept-language': LANGUAGE === 'zh' ? 'zh-TW' : 'en' }
    const response = await fetch(address, { credentials: 'same-origin', headers, signal })
    if (!response.ok) return { ...FAILED, refused: refusedBy(response, await response.json().catch(() => null)) }
    recordCredits(response.headers)
    const chunks: Uint8Array<ArrayBuffer>[] = []
    let received = 0
    for (const reader = response.body!.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      received += value.length
      onBytes(received)
    }
    saveAs(name, chunks, response.headers.get('content-type') ?? 'application/octet-stream')
    const charged = response.headers.get('x-credits-charged')
    const next = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null
    return { state: 'done', charged: charged === null ? null : Number(charged), refused: null, next }
  } catch {
    return FAILED
  }
}
