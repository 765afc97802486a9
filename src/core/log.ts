import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
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

/** What is logged of every read is written at once for this many bytes, or milliseconds; a killed process loses that. */
const [TOGETHER_BYTES, TOGETHER_MS] = [8_192, 200]

const NOTHING: Buffer = Buffer.alloc(0)

/** What waits for a reader that is slow, at most; what comes beyond that is lost. */
const MOST_WAITING = 2 ** 24
/** How often the last lines are offered to a slow reader when the process ends, and how long it has between two times. */
const [LAST_TRIES, LAST_MS] = [50, 20]

/**
 * Standard output, written to as a block of lines; `flush` writes what waits. The log never stops the service: lines are lost where nobody
 * reads them any more, or a disk has no room for them, and wait where a reader is slow.
 */
function openOutput(): DestinationStream & { flush(): void } {
  let waiting = ''
  // What a slow reader did not take yet, oldest first.
  let left: Buffer[] = []
  const bytesLeft = (): number => left.reduce((sum, { length }) => sum + length, 0)
  const flush = (): void => {
    if (waiting !== '') left.push(Buffer.from(waiting))
    waiting = ''
    const untaken = left.findIndex((block, at) => {
      left[at] = writeSome(block)
      return left[at].length > 0
    })
    left = untaken === -1 ? [] : left.slice(untaken)
  }
  setInterval(flush, TOGETHER_MS).unref()
  process.on('exit', () => {
    flush()
    for (let tries = 0; left.length > 0 && tries < LAST_TRIES; tries++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_MS)
      flush()
    }
  })
  return {
    write(line) {
      if (left.length > 0 && bytesLeft() > MOST_WAITING) return
      waiting += line
      if (waiting.length >= TOGETHER_BYTES) flush()
    },
    flush,
  }
}

/** @returns what a slow reader did not take yet */
function writeSome(bytes: Buffer): Buffer {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? bytes.subarray(written) : NOTHING
  }
  return NOTHING
}

/** JSON lines on stdout. Lines of reads are written several together, all others at once. Secrets, and what is shaped like one, are struck out last of all, wherever it hides in the line. At the level `silent` nothing is opened. */
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
