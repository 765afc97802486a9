import { readFile } from 'node:fs/promises'
import { createSlices, type Pace } from '../core/index.ts'
import { retryTransient, sha256OfBytes } from './files.ts'
import { type Manifest, releasePaths, Spans } from './manifest.ts'
import type { ParsedFiles } from './parsed-files.ts'

/**
 * Reads and verifies first day, last day and row count per key.
 * @param parsed cache of parsed files; the file itself is always read and hashed
 * @throws Error if the file is missing, unsupported, unreadable at present or differs from the
 * manifest
 */
export async function readSpans(root: string, manifest: Manifest, parsed?: ParsedFiles): Promise<Spans> {
  const text = (await readBytes(root, manifest)).toString()
  const cachedSpans = parsed?.get(manifest.statistics.spans) as Spans | undefined
  if (cachedSpans) return cachedSpans
  const spans = JSON.parse(text) as Spans
  checkForm(spans)
  parsed?.set(manifest.statistics.spans, spans, text.length)
  return spans
}

export interface ServedSpans extends Pick<Spans, 'base' | 'delta'> {
  /** Names of all slices. */
  readonly slices: readonly string[]
}

/**
 * Reads and verifies what a served release needs, in slices. Does not parse `received`, which is
 * more than half of the text and which only publications need.
 *
 * @throws Error as `readSpans`
 */
export async function readServedSpans(root: string, manifest: Manifest, pace: Pace): Promise<ServedSpans> {
  const bytes = await readBytes(root, manifest)
  const end = bytes.indexOf(RECEIVED)
  const text = bytes.toString('utf8', 0, end === -1 ? undefined : end + 1)
  const spans = await parseInSlices(end === -1 ? text.slice(0, -1) : text, pace)
  if (spans) return spans
  const { slices, ...whole } = await readSpans(root, manifest)
  return { ...whole, slices: Object.keys(slices) }
}

async function readBytes(root: string, { dataset, release, statistics }: Manifest): Promise<Buffer> {
  const bytes = await retryTransient(() => readFile(releasePaths(root, dataset).spans(release)))
  if ((await sha256OfBytes(bytes)) !== statistics.spans) throw new Error(`the spans of ${release} are damaged`)
  return bytes
}

// Quotation marks in names are escaped, so these marks occur only between tables and entries. If a
// name ends like a mark, a piece is not valid JSON, and the text is parsed as a whole.
const RECEIVED = '},"received":{'
const BASE = '{"base":{'
const DELTA = '},"delta":{'
const SLICES = '},"slices":{'
const NEXT_ENTRY = '],"'

/** Parsing this many characters takes about 0.3 ms. */
const PIECE_LENGTH = 1 << 14

/**
 * @param text all tables except `received`, without the last brace
 * @returns undefined if the tables have another order. Compactions of earlier versions wrote such
 * files
 */
async function parseInSlices(text: string, pace: Pace): Promise<ServedSpans | undefined> {
  const [delta, slices] = [text.indexOf(DELTA), text.indexOf(SLICES)]
  if (!text.startsWith(BASE) || delta === -1 || slices < delta) return undefined
  const endOfStep = createSlices(pace)
  const parse = async <T>(from: number, to: number, add: (entries: Readonly<Record<string, T>>) => void): Promise<void> => {
    for (let start = from; start < to; ) {
      const next = text.indexOf(NEXT_ENTRY, start + PIECE_LENGTH)
      const end = next === -1 || next >= to ? to : next + 1
      add(JSON.parse(`{${text.slice(start, end)}}`) as Readonly<Record<string, T>>)
      start = end + 1
      await endOfStep()
    }
  }
  const spans: Pick<Spans, 'base' | 'delta'> = { base: Object.create(null), delta: Object.create(null) }
  const names: string[] = []
  let firstSlices: Spans['slices'] | undefined
  try {
    await parse<Spans['base'][string]>(BASE.length, delta, entries => void Object.assign(spans.base, entries))
    await parse<Spans['delta'][string]>(delta + DELTA.length, slices, entries => void Object.assign(spans.delta, entries))
    await parse<Spans['slices'][string]>(slices + SLICES.length, text.length - 1, entries => {
      firstSlices ??= entries
      names.push(...Object.keys(entries))
    })
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  checkForm({ ...spans, slices: firstSlices ?? {} })
  return { ...spans, slices: names }
}

/**
 * Checks the form of the first entry per table. This is enough, because the sha256 proves that the
 * bytes are as written.
 *
 * @throws Error if the form is not supported
 */
function checkForm({ base, delta, slices, received }: Spans): void {
  const firstReceived = received && Object.fromEntries(Object.entries(received).map(([method, counts]) => [method, firstOf(counts)]))
  Spans.parse({ base: firstOf(base), delta: firstOf(delta), slices: firstOf(slices), received: firstReceived })
}

function firstOf<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  for (const name in entries) return { [name]: entries[name]! }
  return entries
}
