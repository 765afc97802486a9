import { parseArgs } from 'node:util'

/** Options of `npm run soak`. */
export interface SoakArguments {
  readonly minutes: number
  /** Requests per second. */
  readonly rate: number
  /** Minutes between restarts; 0 for none. */
  readonly restart: number
  /** Seconds between publications. */
  readonly publish: number
  /** File for the whole report. Undefined for no file. */
  readonly json: string | undefined
}

export const USAGE =
  'Usage: npm run soak -- [--minutes 60] [--rate 100 requests a second] [--restart 10 minutes between restarts, 0 for none] [--publish 60 seconds between publications] [--json FILE]'

/** @returns the options, or a message if they are invalid or help was requested */
export function parseArguments(args: readonly string[]): SoakArguments | { readonly help: string } | { readonly mistake: string } {
  const number = (value: string): { type: 'string'; default: string } => ({ type: 'string', default: value })
  try {
    const { help, json, ...texts } = parseArgs({
      args: [...args],
      options: {
        minutes: number('60'),
        rate: number('100'),
        restart: number('10'),
        publish: number('60'),
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
    if (help) return { help: USAGE }
    const minutes = toNumber(texts.minutes)
    const rate = toNumber(texts.rate)
    const restart = toNumber(texts.restart)
    const publish = toNumber(texts.publish)
    const wrong = Object.entries({ minutes, rate, restart, publish }).filter(
      ([name, value]) => !(value >= (name === 'restart' ? 0 : 0.001)),
    )
    if (wrong.length === 0) return { minutes, rate, restart, publish, json }
    return { mistake: `${wrong.map(([name]) => `--${name}`).join(' and ')} must be a number above 0 (--restart may be 0). ${USAGE}` }
  } catch (error) {
    return { mistake: `${(error as Error).message.split('. ')[0]}. ${USAGE}` }
  }
}

/** Parses a number. NaN for any other text, including an empty text. */
const toNumber = (text: string): number => (text.trim() === '' || !Number.isFinite(Number(text)) ? Number.NaN : Number(text))
