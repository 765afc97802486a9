import { SingleBar } from 'cli-progress'
import { visible } from './visible.ts'

/** Bytes that came, of how many. */
export interface Transferred {
  readonly bytes: number
  readonly of: number
}

/**
 * A bar of bytes on the terminal's error stream, so that redirected output stays clean; it begins with the first report.
 *
 * @param quiet draw none; nor is any drawn where that stream is no terminal
 */
export function progressBar(name: string, quiet = false) {
  if (quiet || !process.stderr.isTTY) return { progress: (_: Transferred): void => {}, stop: (): void => {} }
  const bar = new SingleBar({
    format: '{name} {bar} {percentage}% of {size} MB, {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
  })
  let begun = false
  return {
    progress({ bytes, of }: Transferred): void {
      if (!begun) bar.start(of, bytes, { name: visible(name), size: (of / 1e6).toFixed(1) })
      begun = true
      bar.update(Math.min(bytes, of))
    },
    stop: (): void => bar.stop(),
  }
}
