import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const MANIFEST = join(ROOT, 'dist', '.vite', 'manifest.json')
const BUILDER = join(ROOT, 'build-now.ts')
/** Characters kept of what the tool complains about. */
const MOST_SAID = 4_000
/** The lock file counts as a source: another version of a library is another build. */
const LOCK = fileURLToPath(new URL('../package-lock.json', import.meta.url))

/**
 * What pages share comes in three files and not in a dozen: what stands on every page, the small parts of most, and what shows rows. Each
 * takes along what it imports, unless a file before it has that.
 */
const SHARED = [
  [
    'frame',
    /node_modules[\\/]@?preact[\\/]|portal[\\/](api[\\/](client|look|shared|use)|frame[\\/](account|hits|most-traded|theme-switch)|parts[\\/]language)\.ts$/,
  ],
  ['parts', /portal[\\/]parts[\\/](confirm|copy|facts|labels|mount|refusal|save|scroll|section-links|time|url-state)\.tsx?$/],
  ['rows', /portal[\\/](parts[\\/](panel|rows-table|refused-read|market-nav|day-picker)|api[\\/]days)\.tsx?$/],
] as const

/** What came of asking for a build: it was made; the one that is there stays; or there is none, and no build tool to make it. */
export type Built = 'made' | 'current' | 'no_tool'

/**
 * Builds the browser's side into `portal/dist`, which takes a second or two, unless what is there is newer than every source, or the
 * build tool, a development dependency, is not installed. Files of a former build are removed. A crash leaves no manifest, and the next call builds again.
 *
 * The tool runs in a process of its own: it would leave this one with some 170 MiB that it never gives back, and with its NODE_ENV. That
 * process ends with this one. What the tool warns of is written to standard error.
 *
 * @throws Error of the build tool, with the file and line that cannot be built
 */
export async function buildPortal(): Promise<Built> {
  if (isCurrent()) return 'current'
  const child = fork(BUILDER, { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let [built, said] = [undefined as Built | undefined, '']
  child.on('message', message => (built = message as Built))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-MOST_SAID)))
  await once(child, 'close')
  if (built === undefined) throw new Error(said.trim() || `the build ended with ${child.exitCode ?? child.signalCode}`)
  process.stderr.write(said)
  return built
}

/** The same in this process. */
export async function buildHere(): Promise<Built> {
  const entries = entriesOf()
  if (isCurrent()) return 'current'
  const vite = await import('vite').catch(() => undefined)
  if (!vite) return existsSync(MANIFEST) ? 'current' : 'no_tool'
  await vite.build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    base: '/assets/',
    publicDir: join(ROOT, 'public'),
    // Otherwise what is built where NODE_ENV is `test` names every file by its path on this machine.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: join(ROOT, 'dist'),
      emptyOutDir: true,
      assetsDir: '',
      // A data: address in a style would need a wider policy.
      assetsInlineLimit: 0,
      manifest: true,
      modulePreload: { polyfill: false },
      target: 'es2022',
      rolldownOptions: {
        input: entries,
        output: { codeSplitting: { groups: SHARED.map(([name, test], at) => ({ name, test, priority: SHARED.length - at })) } },
      },
    },
  })
  return 'made'
}

/** Every page's `main` and every style that pages name by themselves, by the path the manifest knows them under. */
function entriesOf(): Record<string, string> {
  const pages = readdirSync(join(ROOT, 'pages')).map(page => `pages/${page}/main.tsx`)
  const all = [...pages, 'frame/main.tsx', 'frame/theme.ts', 'style/base.css']
  return Object.fromEntries(all.filter(file => existsSync(join(ROOT, file))).map(file => [file.replaceAll(/[/.]/g, '-'), join(ROOT, file)]))
}

function isCurrent(): boolean {
  const made = statSync(MANIFEST, { throwIfNoEntry: false })?.mtimeMs
  if (made === undefined) return false
  const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(file => !file.startsWith('dist'))
  return [LOCK, ...sources.map(file => join(ROOT, file))].every(file => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= made)
}
