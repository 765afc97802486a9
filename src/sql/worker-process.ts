import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterRunning } from '../core/index.ts'
import { type Job, type Reply, readMessages, writeMessage } from './wire.ts'

export interface WorkerReply {
  readonly reply: Reply
  readonly body: Buffer
}

export interface WorkerProcess {
  /**
   * Interrupts a job after `budgetMs`. Kills a worker that does not reply.
   *
   * @throws WorkerEnded if the process ends before the reply
   */
  request(job: Exclude<Job, { kind: 'interrupt' }>, budgetMs: number): Promise<WorkerReply>
  stop(): void
  isRunning(): boolean
  uses(): number
  kill(): void
}

export const WORKER_ENDED = Symbol('worker ended')

export const isWorkerEnd = (error: unknown): boolean => error instanceof Error && WORKER_ENDED in error

const GRACE_MS = 300
const START_MS = 20_000

const PROGRAM = fileURLToPath(new URL('./worker.ts', import.meta.url))

/**
 * The process inherits no secrets.
 *
 * @param memoryMb memory limit
 * @param maxBytes maximum size of a reply
 * @param onReady called with false if the operating system does not limit the process
 */
export function startWorker(memoryMb: number, maxBytes: number, onReady: (limited: boolean) => void): WorkerProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256', PROGRAM, String(memoryMb)],
    { stdio: ['pipe', 'pipe', 'ignore'], cwd: '/', env: { ...(PATH && { PATH }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) } },
  )
  const input = child.stdin!
  child.unref()
  for (const stream of [input, child.stdout!]) (stream as unknown as { unref?(): void }).unref?.()
  input.on('error', () => {})
  const started = Promise.withResolvers<void>()
  started.promise.catch(() => {})
  let pending: PromiseWithResolvers<WorkerReply> | undefined
  let uses = 0
  let running = true
  let cancelTimer = afterRunning(START_MS, () => child.kill('SIGKILL'))
  const ended = (): Error => Object.assign(new Error('The worker process ended.'), { [WORKER_ENDED]: true })
  const over = (): void => {
    running = false
    cancelTimer()
    started.reject(ended())
    pending?.reject(ended())
    pending = undefined
  }
  child.on('error', over)
  child.on('exit', over)
  readMessages<Reply>(child.stdout!, maxBytes, (reply, body) => {
    cancelTimer()
    if (reply.kind === 'ready') {
      onReady(reply.limited)
      return started.resolve()
    }
    pending?.resolve({ reply, body })
    pending = undefined
  })
  child.stdout!.on('close', () => child.kill('SIGKILL'))
  const stop = (): void => {
    if (!pending) return
    writeMessage(input, { kind: 'interrupt' })
    cancelTimer()
    cancelTimer = afterRunning(GRACE_MS, () => child.kill('SIGKILL'))
  }
  return {
    async request(job, budgetMs) {
      uses++
      await started.promise
      if (!running) throw ended()
      pending = Promise.withResolvers()
      const { promise } = pending
      writeMessage(input, job)
      cancelTimer = afterRunning(budgetMs, stop)
      return promise
    },
    stop,
    isRunning: () => running,
    uses: () => uses,
    kill: () => void child.kill('SIGKILL'),
  }
}
