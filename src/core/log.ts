import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { withoutSecrets } from './redaction.ts'

/** Every event the service logs. One line is one event; ids, never secrets. */
export type Event =
  | 'listening'
  | 'read'
  | 'refused'
  | 'proxy not trusted'
  | 'connections refused'
  | 'requests in line refused'
  | 'answer cut'
  | 'failed'
  | 'fetched'
  | 'release served'
  | 'release damaged'
  | 'search indexed'
  | 'files taken'
  | 'file refused'
  | 'file left'
  | 'quarantine settled'
  | 'key issued'
  | 'key revoked'
  | 'account closed'
  | 'plan granted'
  | 'paid'
  | 'mail sent'
  | 'mail failed'
  | 'mails short'
  | 'webhook sent'
  | 'stopping'
  | 'stopped'

const LEVELS: Readonly<Partial<Record<Event, 'error' | 'warn'>>> = {
  failed: 'error',
  'release damaged': 'error',
  'proxy not trusted': 'warn',
  'connections refused': 'warn',
  'requests in line refused': 'warn',
  'answer cut': 'warn',
  'mails short': 'warn',
  'file refused': 'warn',
  'file left': 'warn',
}

export type Log = (event: Event, facts?: Readonly<Record<string, unknown>>) => void

const BEARER = /Bearer \S+/g

const redacted = (line: string): string => withoutSecrets(line.includes('Bearer ') ? line.replace(BEARER, '[redacted]') : line)

/** The logger's number of that level. */
const INFO = 30

/** Lines of reads are written together: this many bytes, or what arrived in this many milliseconds. A killed process loses them. */
const [BLOCK_BYTES, BLOCK_MS] = [8_192, 200]
/** Bytes that wait for a slow reader or a full disk; further lines are dropped. */
const MAX_WAITING_BYTES = 2 ** 24
/** Milliseconds that a slow reader has for the last lines when the process ends. */
const LAST_MS = 5_000

/** Standard output, written to in blocks and on another thread. A slow or closed reader and a full disk never stop the service. */
function openOutput(): ReturnType<typeof destination> {
  let isFailing = false
  let endsAt: number | null = null
  const output = destination({
    fd: 1,
    sync: false,
    minLength: BLOCK_BYTES,
    periodicFlush: BLOCK_MS,
    maxLength: MAX_WAITING_BYTES,
    // While serving, the next flush writes the block again: a retry by the library would keep the process alive.
    retryEAGAIN: () => endsAt !== null && performance.now() < endsAt,
  })
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    isFailing = code !== 'EAGAIN'
  })
  output.on('write', () => {
    isFailing = false
  })
  const { flushSync } = output
  // Called at exit, after a crash too. sonic-boom 4.2.1 repeats a write to a full disk or a closed pipe without end.
  output.flushSync = () => {
    if (isFailing) return
    endsAt = performance.now() + LAST_MS
    try {
      flushSync.call(output)
    } catch {
      // The reader did not take the last lines in time.
    }
  }
  // Reports a failing output before that.
  process.once('beforeExit', () => output.flush())
  return output
}

/**
 * JSON lines on stdout. Lines of reads are written in blocks, all others are flushed immediately. Secrets, and texts shaped like one, are
 * redacted in the finished line. At the level `silent` nothing is opened.
 */
export function createLog(level: string, to?: DestinationStream): Log {
  if (level === 'silent') return () => undefined
  const output = to ? undefined : openOutput()
  const stream = to ?? output!
  const logger: Logger = pino({ level, base: null, messageKey: 'event', hooks: { streamWrite: redacted } }, stream)
  const writesReads = logger.isLevelEnabled('info')
  return (event, facts = {}) => {
    // Most lines by far are of reads: in the logger's form, at half of its price.
    if (event === 'read') {
      if (writesReads) stream.write(`${redacted(JSON.stringify({ level: INFO, time: Date.now(), ...facts, event }))}\n`)
      return
    }
    logger[LEVELS[event] ?? 'info'](facts, event)
    output?.flush()
  }
}
