import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const MANIFEST = join(ROOT, 'dist', '.vite', 'manifest.json')
const BUILDER = join(ROOT, 'build-now.ts')
const MOST_OUTPUT = 4_000
/** The lock file counts as a source, because new library versions require a build. */
const LOCK = fileURLToPath(new URL('../package-lock.json', import.meta.url))

/**
 * Combines code that several pages use into four files. The first matching pattern determines the
 * file of a module. A file also contains the imports of its modules, unless an earlier file
 * contains them.
 */
const SHARED = [
  [
    'frame',
    /node_modules[\\/]@?preact[\\/]|portal[\\/](api[\\/](client|names|visitor-first|shared|use)|frame[\\/](account|find|first-paint|hits|most-traded|places|theme-switch)|parts[\\/](choice|display|figures|language|market-words|refusal|refused-read|seen|units|watchlist))\.tsx?$/,
  ],
  [
    'parts',
    /portal[\\/](parts[\\/](confirm|copy|csv|dated|facts|labels|lead|mount|save|scroll|section-links|skeleton|star|time|url-state)|api[\\/](days|catalog|reads))\.tsx?$/,
  ],
  ['rows', /portal[\\/]parts[\\/](panel|rows-table|market-nav|market-page|day-picker)\.tsx?$/],
  ['queries', /portal[\\/](api[\\/]sql|parts[\\/]range-text|pages[\\/]explore[\\/](axes|column-chart|question|ranges))\.tsx?$/],
] as const

/**
 * `current`: the existing build is up to date. `no_tool`: neither a build nor a build tool exists.
 */
export type Built = 'made' | 'current' | 'no_tool'

/**
 * Builds the portal into `portal/dist`. Does nothing if `dist` is newer than every source, or if
 * vite is not installed. After a crash, the next call builds again. The build runs in a child
 * process, because vite leaves about 170 MiB allocated and changes NODE_ENV. The child ends with
 * this process.
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
    // Tests set NODE_ENV to `test`. Without these options, the libraries would be twice as large.
    // A test build would also contain the absolute path of every file.
    resolve: { conditions: ['module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: join(ROOT, 'dist'),
      emptyOutDir: true,
      assetsDir: '',
      // A `data:` address in a style would require a weaker content security policy.
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

/** Returns the entry points of the build: every page, and styles that pages refer to directly. */
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
