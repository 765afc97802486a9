import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino'
import { withoutSecrets } from './redaction.ts'

/** Log lines may contain ids, but no secrets. */
const MESSAGES = {
  listening: 'The service accepts requests.',
  read: 'A read was answered.',
  refused: 'A request was refused.',
  'proxy not trusted': 'X-Forwarded-For came from an address that is not in TRUST_PROXY.',
  'connections refused': 'Connections beyond the limit were closed.',
  'requests in line refused': 'A connection with too many unanswered requests was closed.',
  'answer cut': 'A response was cut off because the client read too slowly.',
  failed: 'An error occurred.',
  fetched: 'A scheduled fetch ended.',
  'release served': 'A new release is served.',
  'release damaged': 'A release is damaged.',
  'search indexed': 'The search index was built.',
  'files taken': 'Files of the inbox were published.',
  'file refused': 'A file was refused and is in the quarantine.',
  'file left': 'A file stays in the inbox.',
  'quarantine settled': 'A file of the quarantine was accepted or discarded.',
  'key issued': 'An API key was created.',
  'key revoked': 'An API key was revoked.',
  'account closed': 'An account was closed.',
  'account changed': 'The operator changed an account.',
  'plan granted': 'The plan of an account was set.',
  'credits given': 'Credits of an account were granted or refunded.',
  'plans changed': 'The plans of the service changed.',
  'plans refused': 'The file plans.json is invalid; the previous plans stay in effect.',
  paid: 'A subscription changed.',
  'mail sent': 'A mail was sent.',
  'mail failed': 'A mail could not be sent.',
  'mails short': 'The hourly mail limit is almost reached; only existing accounts receive codes.',
  'webhook sent': 'A webhook message was sent.',
  stopping: 'The service is stopping.',
  stopped: 'The service has stopped.',
  migrated: 'The schema of the state file was upgraded.',
} as const

export type Event = keyof typeof MESSAGES

/** For `failed`, `during` names the task, for example `writing the ledger`. */
const messageOf = (event: Event, { during }: Readonly<Record<string, unknown>>): string =>
  event === 'failed' && typeof during === 'string' ? `An error occurred: ${during}.` : MESSAGES[event]

const LEVELS: Readonly<Partial<Record<Event, 'error' | 'warn'>>> = {
  failed: 'error',
  'release damaged': 'error',
  'proxy not trusted': 'warn',
  'connections refused': 'warn',
  'requests in line refused': 'warn',
  'answer cut': 'warn',
  'mails short': 'warn',
  'plans refused': 'warn',
  'file refused': 'warn',
  'file left': 'warn',
}

export type Log = (event: Event, facts?: Readonly<Record<string, unknown>>) => void

const BEARER = /Bearer \S+/g

const redacted = (line: string): string => withoutSecrets(line.includes('Bearer ') ? line.replace(BEARER, '[redacted]') : line)

/** Pino's number for the level `info`. */
const INFO = 30

/**
 * Log lines of reads are buffered up to these limits. A killed process loses the buffered lines.
 */
const [BLOCK_BYTES, BLOCK_MS] = [65_536, 200]
/** Maximum buffer in bytes while stdout is blocked. Further lines are dropped. */
const MAX_WAITING_BYTES = 2 ** 24
/** Maximum time for writing the last lines at exit, in ms. */
const LAST_MS = 5_000

/** Writes to stdout in another thread. A slow reader or a full disk never blocks the service. */
function openOutput() {
  let isFailing = false
  let endsAt: number | null = null
  let isScheduled = false
  // Replaces sonic-boom's timer, which wakes the idle service five times a second.
  const flushSoon = (): void => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      output.flush()
    }, BLOCK_MS).unref()
  }
  const output = destination({
    fd: 1,
    sync: false,
    minLength: BLOCK_BYTES,
    maxWrite: 2 * BLOCK_BYTES,
    // In text mode, sonic-boom 4.2.1 measures and copies the whole block for each line.
    contentMode: 'buffer',
    maxLength: MAX_WAITING_BYTES,
    // The next flush writes the same bytes. A retry by the library would keep the process alive.
    retryEAGAIN: () => endsAt !== null && performance.now() < endsAt,
  })
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    isFailing = code !== 'EAGAIN'
    flushSoon()
  })
  output.on('write', (bytes: number) => {
    isFailing = false
    // More lines may have arrived during the write.
    if (bytes > 0) flushSoon()
  })
  const { flushSync } = output
  // Runs at exit. On a full disk or closed pipe, sonic-boom 4.2.1 would retry forever.
  output.flushSync = () => {
    if (isFailing) return
    endsAt = performance.now() + LAST_MS
    try {
      flushSync.call(output)
    } catch {
      // The remaining lines are lost, because the reader was too slow.
    }
  }
  // If this flush fails, the flush at exit does nothing and cannot block.
  process.once('beforeExit', () => output.flush())
  return {
    write(line: string): void {
      // The types of sonic-boom do not include the buffer mode.
      output.write(Buffer.from(line) as unknown as string)
      flushSoon()
    },
    flush: () => output.flush(),
  }
}

/**
 * Writes JSON lines to stdout, with secrets redacted. Lines of reads are buffered, all other lines
 * are written immediately. The level `silent` opens no output. `time` is ISO 8601 in UTC.
 */
export function createLog(level: string, to?: DestinationStream): Log {
  if (level === 'silent') return () => undefined
  const output = to ? undefined : openOutput()
  const stream = to ?? output!
  const logger: Logger = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, hooks: { streamWrite: redacted } }, stream)
  const writesReads = logger.isLevelEnabled('info')
  return (event, facts = {}) => {
    // Most lines are about reads. This path halves the cost per line.
    if (event === 'read') {
      if (writesReads)
        stream.write(`${redacted(JSON.stringify({ level: INFO, time: new Date().toISOString(), ...facts, event, msg: MESSAGES.read }))}\n`)
      return
    }
    logger[LEVELS[event] ?? 'info']({ ...facts, event }, messageOf(event, facts))
    output?.flush()
  }
}
