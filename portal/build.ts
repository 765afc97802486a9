import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const MANIFEST = join(ROOT, 'dist', '.vite', 'manifest.json')
const BUILDER = join(ROOT, 'build-now.ts')
/** Maximum number of characters of the build tool's output in an error message. */
const MOST_OUTPUT = 4_000
/** The lock file counts as a source, because another version of a library requires a new build. */
const LOCK = fileURLToPath(new URL('../package-lock.json', import.meta.url))

/**
 * Code that several pages use is combined into four files instead of a dozen: code of every page,
 * small components of most pages, code that shows rows, and code that queries rows. A file also
 * contains the modules that it imports, unless an earlier file contains them.
 */
const SHARED = [
  [
    'frame',
    /node_modules[\\/]@?preact[\\/]|portal[\\/](api[\\/](client|names|visitor-first|shared|use)|frame[\\/](account|find|hits|most-traded|places|theme-switch)|parts[\\/](choice|display|figures|language|market-words|refusal|refused-read|seen|units|watchlist))\.tsx?$/,
  ],
  [
    'parts',
    /portal[\\/](parts[\\/](confirm|copy|csv|facts|labels|mount|save|scroll|section-links|skeleton|star|time|url-state)|api[\\/](days|catalog|reads))\.tsx?$/,
  ],
  ['rows', /portal[\\/]parts[\\/](panel|rows-table|market-nav|market-page|day-picker)\.tsx?$/],
  ['queries', /portal[\\/](api[\\/]sql|parts[\\/]range-text|pages[\\/]explore[\\/](axes|column-chart|question|ranges))\.tsx?$/],
] as const

/**
 * Result of a build. `made`: the portal was built. `current`: the existing build is up to date.
 * `no_tool`: there is no build, and no build tool is installed.
 */
export type Built = 'made' | 'current' | 'no_tool'

/**
 * Builds the portal into `portal/dist` in a second or two. Does nothing if `dist` is newer than
 * every source, or if vite (a development dependency) is not installed. Deletes the files of the
 * previous build. After a crash the manifest is missing, so the next call builds again.
 *
 * Vite runs in a child process, because it would leave about 170 MiB allocated in this process and
 * change NODE_ENV. The child ends with this process. Warnings of vite are written to standard
 * error.
 *
 * @throws Error of the build tool, with the file and line that cannot be built
 */
export async function buildPortal(): Promise<Built> {
  if (isCurrent()) return 'current'
  const child = fork(BUILDER, { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let [built, output] = [undefined as Built | undefined, '']
  child.on('message', message => (built = message as Built))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-MOST_OUTPUT)))
  await once(child, 'close')
  if (built === undefined) throw new Error(output.trim() || `the build ended with ${child.exitCode ?? child.signalCode}`)
  process.stderr.write(output)
  return built
}

/** Builds in the current process. */
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
    // Tests set NODE_ENV to `test`. Without these options, a test build would contain the
    // development versions of libraries, which are twice as large, and the absolute path of every
    // file.
    resolve: { conditions: ['module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: join(ROOT, 'dist'),
      emptyOutDir: true,
      assetsDir: '',
      // A `data:` address in a style would require a less strict content security policy.
      assetsInlineLimit: 0,
      manifest: true,
      modulePreload: { polyfill: false },
      target: 'es2022',
      rolldownOptions: {
        input: entries,
        output: { codeSplitting: { groups: SHARED.map(([name, test], index) => ({ name, test, priority: SHARED.length - index })) } },
      },
    },
  })
  return 'made'
}

/**
 * Returns the entry points of the build, keyed by their path in the manifest: the `main` of every
 * page, and every style that pages refer to directly.
 */
function entriesOf(): Record<string, string> {
  const pages = readdirSync(join(ROOT, 'pages')).map(page => `pages/${page}/main.tsx`)
  const all = [...pages, 'frame/main.tsx', 'frame/head.ts', 'style/base.css']
  return Object.fromEntries(all.filter(file => existsSync(join(ROOT, file))).map(file => [file.replaceAll(/[/.]/g, '-'), join(ROOT, file)]))
}

function isCurrent(): boolean {
  const made = statSync(MANIFEST, { throwIfNoEntry: false })?.mtimeMs
  if (made === undefined) return false
  const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(file => !file.startsWith('dist'))
  return [LOCK, ...sources.map(file => join(ROOT, file))].every(file => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= made)
}
