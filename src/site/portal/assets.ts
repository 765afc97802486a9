import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUILT = fileURLToPath(new URL('../../../portal/dist/', import.meta.url))

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
}

export interface Asset {
  readonly bytes: Buffer
  readonly mediaType: string
}

/** Built files of one page, in the order of their HTML tags. */
export interface Entry {
  readonly script: string | null
  readonly imports: readonly string[]
  readonly styles: readonly string[]
}

export interface Assets {
  /** False if the portal was not built. */
  readonly isBuilt: boolean
  /** @param source path below `portal`, for example `pages/home/main.tsx` */
  entry(source: string): Entry
  /** The name contains a hash of the content. */
  file(name: string): Asset | undefined
}

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** Reads all files into memory, a few hundred kilobytes in total. */
export function loadAssets(folder: string = BUILT): Assets {
  const manifest = manifestIn(folder)
  if (!manifest) return { isBuilt: false, entry: () => ({ script: null, imports: [], styles: [] }), file: () => undefined }
  const files = new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isFile() && extname(entry.name) in MEDIA_TYPES)
      .map(({ name }) => [name, { bytes: readFileSync(join(folder, name)), mediaType: MEDIA_TYPES[extname(name)]! }]),
  )
  return { isBuilt: true, entry: source => entryOf(manifest, source), file: name => files.get(name) }
}

function manifestIn(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

const address = (file: string): string => `/assets/${file}`

function entryOf(manifest: Manifest, source: string): Entry {
  const chunk = manifest[source]
  if (!chunk) return { script: null, imports: [], styles: [] }
  const imported = importsOf(manifest, source, new Set())
  const styles = [...imported, source].flatMap(name => manifest[name]?.css ?? [])
  const isStyle = chunk.file.endsWith('.css')
  return {
    script: isStyle ? null : address(chunk.file),
    imports: imported.map(name => address(manifest[name]!.file)),
    styles: [...new Set([...(isStyle ? [chunk.file] : []), ...styles])].map(address),
  }
}

/** Imports precede the files that import them. */
function importsOf(manifest: Manifest, source: string, seen: Set<string>): readonly string[] {
  return [...new Set(manifest[source]?.imports ?? [])].flatMap(name => {
    if (seen.has(name)) return []
    seen.add(name)
    return [...importsOf(manifest, name, seen), name]
  })
}
