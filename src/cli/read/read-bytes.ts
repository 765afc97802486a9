import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DryRun } from '../../../clients/typescript/src/index.ts'
import type { Remote } from '../../../ingest/mirror/index.ts'
import { commandRefusal, Refusal } from '../../core/index.ts'
import { progressBar, sizeOf } from '../progress-bar.ts'
import { say } from '../terminal.ts'
import { asked, jsonAt } from './connection.ts'
import { visiblePieces } from './visible.ts'
import { writeWhole } from './whole-file.ts'

interface Came {
  bytes: number
  rows: number
  credits: number
  /** Undefined if the response does not state the release. */
  release: string | undefined
  more: boolean
}

/**
 * Writes a response unchanged, with one CSV header for all pages. On a terminal, escapes control
 * characters.
 * @throws Refusal
 */
export async function printAnswer(remote: Remote, target: string, paged: boolean): Promise<void> {
  const came: Came = { bytes: 0, rows: 0, credits: 0, release: undefined, more: false }
  try {
    const bytes = bytesOf(remote, target, paged, came)
    const shown = process.stdout.isTTY ? visiblePieces(bytes) : bytes
    await pipeline(Readable.from(shown, { objectMode: false }), process.stdout, { end: false })
  } catch (error) {
    // EPIPE means that the reader of the pipe has ended.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw brokenOff(error, 'the output is incomplete')
  }
}

/** The file appears only when the response is complete. @throws Refusal */
export async function keepAnswer(remote: Remote, target: string, file: string, paged: boolean): Promise<void> {
  const came: Came = { bytes: 0, rows: 0, credits: 0, release: undefined, more: false }
  const bar = progressBar(basename(file))
  const of = process.stderr.isTTY && !paged ? await expectedBytes(remote, target) : 0
  try {
    const told = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of bytesOf(remote, target, paged, came)) {
        if (of > 0) bar.progress({ bytes: came.bytes, of })
        yield piece
      }
    }
    await writeWhole(file, told)
  } catch (error) {
    throw brokenOff(error, 'no file was written')
  } finally {
    bar.stop()
  }
  const { rows, bytes, credits, release } = came
  say(
    `${file}: ${counted(rows, 'row')}${release === undefined ? '' : ` of release ${release}`}, ${sizeOf(bytes)}, ${counted(credits, 'credit')}.`,
  )
  if (came.more) say('There are more rows. Use a higher --limit, or --all for csv and ndjson.')
}

/** Uses a free dry run, because long responses have no Content-Length. */
async function expectedBytes(remote: Remote, target: string): Promise<number> {
  const { estimated_bytes: expected } = await jsonAt<DryRun>(remote, `${target}&dry_run=true`)
  return expected ?? 0
}

async function* bytesOf(remote: Remote, target: string, paged: boolean, came: Came): AsyncGenerator<Buffer> {
  let next: string | undefined = target
  const { countIn } = await import('../../../ingest/mirror/index.ts')
  for (let page = 0; next !== undefined; page++) {
    const { headers, body } = await asked(() => remote.get(next!))
    came.rows += countIn(headers, 'x-row-count')
    came.credits += countIn(headers, 'x-credits-charged')
    came.release = headers['x-release']?.toString()
    const following = nextOf(headers['link'])
    const isCsv = String(headers['content-type']).startsWith('text/csv')
    let head = page > 0 && isCsv
    for await (const piece of body as AsyncIterable<Buffer>) {
      came.bytes += piece.length
      const end = head ? piece.indexOf('\n') : -1
      if (head && end < 0) continue
      head = false
      yield end < 0 ? piece : piece.subarray(end + 1)
    }
    came.more = following !== undefined && !paged
    next = paged ? following : undefined
  }
}

/** Returns other errors unchanged. */
function brokenOff(error: unknown, left: string): unknown {
  if (error instanceof Refusal || !(error instanceof Error) || !/^(UND_ERR|ECONN|EPIPE)/.test((error as NodeJS.ErrnoException).code ?? ''))
    return error
  return commandRefusal('overloaded', {}, `The connection was lost; ${left}. The read may have been charged, so it was not retried.`)
}

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Parses a `Link` header. */
export const nextOf = (link: string | readonly string[] | undefined): string | undefined =>
  /<([^>]+)>;\s*rel="next"/.exec(String(link ?? ''))?.[1]
