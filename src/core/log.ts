import { type DestinationStream, type Logger, pino } from 'pino'

/** Every event the service logs. One line is one event; ids, never secrets. */
export type Event =
  | 'listening'
  | 'read'
  | 'refused'
  | 'proxy not trusted'
  | 'connections refused'
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
  | 'stopping'
  | 'stopped'

const LEVELS: Readonly<Partial<Record<Event, 'error' | 'warn'>>> = {
  failed: 'error',
  'release damaged': 'error',
  'proxy not trusted': 'warn',
  'connections refused': 'warn',
  'answer cut': 'warn',
  'mails short': 'warn',
  'file refused': 'warn',
  'file left': 'warn',
}

export type Log = (event: Event, facts?: Readonly<Record<string, unknown>>) => void

const SECRET = /sk_live_[0-9A-Za-z]{8,}|sst_[\w-]{8,}|whsec_[\w+/=-]{8,}|Bearer \S+/g

/** How each of these begins. A line without any is looked through for nothing else. */
const BEGINNINGS = ['sk_live_', 'sst_', 'whsec_', 'Bearer ']

const redacted = (line: string): string =>
  BEGINNINGS.some(beginning => line.includes(beginning)) ? line.replace(SECRET, '[redacted]') : line

/** The logger's number of that level. */
const INFO = 30

/** What is logged of every read is written at once for this many bytes, or milliseconds; a killed process loses that. */
const [TOGETHER_BYTES, TOGETHER_MS] = [8_192, 200]

/** Standard output, written to as a block of lines; `flush` writes what waits. */
function openOutput(): DestinationStream & { flush(): void } {
  const output = pino.destination({ dest: 1, sync: true, minLength: TOGETHER_BYTES })
  const flush = (): void => output.flushSync()
  setInterval(flush, TOGETHER_MS).unref()
  process.on('exit', flush)
  return { write: line => output.write(line), flush }
}

/** JSON lines on stdout. Lines of reads are written several together, all others at once. Anything shaped like a secret is struck out last of all, wherever it hides in the line. */
export function createLog(level: string, to?: DestinationStream): Log {
  const output = to ? undefined : openOutput()
  const logger: Logger = pino({ level, base: null, messageKey: 'event', hooks: { streamWrite: redacted } }, output ?? to!)
  const stream = output ?? to!
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
