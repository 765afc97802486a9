import { SingleBar } from 'cli-progress'
import { visible } from './read/visible.ts'

export interface Transferred {
  readonly bytes: number
  readonly of: number
}

export const sizeOf = (bytes: number): string => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`)

const remaining = (seconds: number | string): string => {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return '…'
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}

/**
 * Shows a bar only on a terminal. Counts bytes.
 * @param quiet true to show no bar
 */
export function progressBar(name: string, quiet = false) {
  if (quiet || !process.stderr.isTTY) return { progress: (_: Transferred): void => {}, stop: (): void => {} }
  const bar = new SingleBar({
    format: '{name} {bar} {percentage}% of {size}, {eta_formatted} left',
    formatTime: remaining,
    stream: process.stderr,
    clearOnComplete: true,
  })
  let begun = false
  return {
    progress({ bytes, of }: Transferred): void {
      if (!begun) bar.start(of, bytes, { name: visible(name), size: sizeOf(of) })
      begun = true
      bar.update(Math.min(bytes, of))
    },
    stop: (): void => bar.stop(),
  }
}
