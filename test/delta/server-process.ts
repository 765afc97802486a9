import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'

export interface ServerProgram {
  readonly program: string
  readonly args: readonly string[]
  /**
   * File for the output. Not a pipe, because a full pipe would stop the server while this process
   * is blocked.
   */
  readonly log: string
  /** URL of a request whose response `isReady` accepts when the server is ready. */
  readonly probe: string
  readonly isReady: (body: string) => boolean
  readonly startMs: number
}

const STOP_MS = 20_000

/**
 * Starts a server and waits until it is ready.
 *
 * @returns stops the server, with SIGKILL if it ignores SIGTERM
 * @throws Error with the end of its log if it does not start in time; the server is then stopped
 */
export async function startServer({ program, args, log, probe, isReady, startMs }: ServerProgram): Promise<() => Promise<void>> {
  const output = openSync(log, 'w')
  const child = spawn(program, args, { stdio: ['ignore', output, output] })
  closeSync(output)
  let failure: unknown
  child.once('error', error => {
    failure = error
  })
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const stop = async (): Promise<void> => {
    if (hasEnded()) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill()
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(kill)
  }
  const body = (): Promise<string> =>
    request(probe, { signal: AbortSignal.timeout(5_000) }).then(
      response => response.body.text(),
      () => '',
    )
  for (const end = performance.now() + startMs; performance.now() < end && !hasEnded(); await sleep(200))
    if (isReady(await body())) return stop
  const reason = failure ?? (hasEnded() ? `ended with ${child.exitCode ?? child.signalCode}` : `not ready after ${startMs / 1_000} s`)
  await stop()
  throw new Error(`${program}: ${reason}\n${readFileSync(log, 'utf8').slice(-4_000)}`)
}
