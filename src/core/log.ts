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
  | 'release served'
  | 'release damaged'
  | 'search indexed'
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
}

export type Log = (event: Event, facts?: Readonly<Record<string, unknown>>) => void

const SECRET = /sk_live_[0-9A-Za-z]{8,}|sst_[\w-]{8,}|whsec_[\w+/=-]{8,}|Bearer \S+/g

/** JSON lines on stdout. Anything shaped like a secret is struck out last of all, wherever it hides in the line. */
export function createLog(level: string, to?: DestinationStream): Log {
  const logger: Logger = pino(
    { level, base: null, messageKey: 'event', hooks: { streamWrite: line => line.replace(SECRET, '[redacted]') } },
    to,
  )
  return (event, facts = {}) => logger[LEVELS[event] ?? 'info'](facts, event)
}
