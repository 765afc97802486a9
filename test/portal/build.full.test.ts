import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildPortal } from '../../portal/index.ts'
import { loadAssets } from '../../src/site/portal/assets.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DELAYED_BUILD = new URL('../fixtures/portal/delayed-build.ts', import.meta.url).href
const BUILT = new URL('../../portal/dist/', import.meta.url)

beforeAll(async () => void (await buildPortal()))

it('built pages contain no path of the build machine', () => {
  const files = readdirSync(BUILT).filter(name => /\.(js|css)$/.test(name))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter(name => readFileSync(new URL(name, BUILT), 'utf8').includes(ROOT))).toEqual([])
})

it('each page loads at most six scripts and four styles', () => {
  const assets = loadAssets()
  const pages = readdirSync(new URL('portal/pages/', `file://${ROOT}`)).map(page => `pages/${page}/main.tsx`)
  const filesOf = (entry: string) => {
    const [frame, own] = [assets.entry('frame/main.tsx'), assets.entry(entry)]
    return new Set([frame, own].flatMap(({ script, imports, styles }) => [script, ...imports, ...styles]))
  }
  expect(pages.length).toBeGreaterThan(10)
  for (const page of pages) {
    const files = [...filesOf(page)].filter(file => file !== null)
    expect.soft(files.filter(file => file.endsWith('.js')).length, page).toBeLessThanOrEqual(6)
    expect.soft(files.filter(file => file.endsWith('.css')).length, page).toBeLessThanOrEqual(4)
  }
  expect([...filesOf('pages/home/main.tsx')].map(file => file?.replace(/-[\w-]{8}\./, '.')).toSorted()).toEqual([
    '/assets/frame-main-tsx.js',
    '/assets/frame.js',
    '/assets/pages-home-main-tsx.css',
    '/assets/pages-home-main-tsx.js',
  ])
})

let copy: string
/** A copy of the sources without a build, and an empty folder next to it. */
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'twmd-portal-'))
  cpSync(join(ROOT, 'portal'), join(copy, 'portal'), { recursive: true, filter: file => !file.endsWith('/dist') })
  for (const name of ['node_modules', 'package.json', 'package-lock.json', 'tsconfig.json']) symlinkSync(join(ROOT, name), join(copy, name))
  mkdirSync(join(copy, 'delayed'))
})
afterEach(() => rmSync(copy, { recursive: true, force: true }))

/** Runs a few lines of code in the copy. */
function started(lines: string) {
  const { NODE_ENV: _, ...env } = process.env
  const program = `import { buildPortal } from './portal/index.ts'; ${lines}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = Promise.all([text(child.stdout), text(child.stderr)]).then(([out, err]) => ({ out: out.trim(), err: err.trim() }))
  return { child, printed, exited: once(child, 'exit') }
}

const BUILD = 'console.log(await buildPortal())'

/**
 * Runs code in the copy and delays the build process.
 * @returns its id when it waits
 */
async function startedDelayed(when: 'before' | 'during', lines = BUILD) {
  const folder = join(copy, 'delayed')
  const options = { TWMD_DELAYED: when, TWMD_DELAYED_IN: folder, NODE_OPTIONS: `--import=${DELAYED_BUILD}` }
  const run = started(`Object.assign(process.env, ${JSON.stringify(options)}); ${lines}`)
  const is = (name: string): boolean =>
    existsSync(join(folder, name)) && (name !== 'pid' || readFileSync(join(folder, name), 'utf8') !== '')
  await expect.poll(() => is('pid'), { timeout: 60_000 }).toBe(true)
  return {
    ...run,
    builder: Number(readFileSync(join(folder, 'pid'), 'utf8')),
    release: () => writeFileSync(join(folder, 'go'), ''),
    isOver: () => is('ended'),
  }
}

it('buildPortal leaves neither the build tool nor its environment in the calling process', async () => {
  const lines = `const built = await buildPortal()
    const { sharedObjects } = process.report.getReport()
    console.log(built, process.env.NODE_ENV, sharedObjects.length > 0, sharedObjects.filter(file => /rolldown|lightningcss/.test(file)).length)`
  expect(await started(lines).printed).toEqual({ out: 'made undefined true 0', err: '' })
})

it('buildPortal names the file with the error', async () => {
  appendFileSync(join(copy, 'portal/pages/home/main.tsx'), "import './missing.ts'\n")
  const { out } = await started('console.log(await buildPortal().catch(String))').printed
  expect(out).toContain('pages/home/main.tsx')
  expect(out).toContain('missing.ts')
})

it('buildPortal prints warnings of the build tool', async () => {
  appendFileSync(join(copy, 'portal/pages/home/main.tsx'), "eval('1')\n")
  expect(await started(BUILD).printed).toEqual({ out: 'made', err: expect.stringContaining('eval') })
})

it.each(['before', 'during'] as const)(
  'the build process ends when its caller is killed %s the build, and the next call builds the pages',
  async when => {
    const { child, exited, release, isOver } = await startedDelayed(when)
    child.kill('SIGKILL')
    await exited
    release()
    await expect.poll(isOver, { timeout: 60_000 }).toBe(true)
    expect((await started(BUILD).printed).out).toBe('made')
  },
)

it('the build finishes after Ctrl-C when its caller ignores SIGINT', async () => {
  const { child, builder, printed, release, isOver } = await startedDelayed('during', `process.on('SIGINT', () => {}); ${BUILD}`)
  child.kill('SIGINT')
  process.kill(builder, 'SIGINT')
  release()
  expect((await printed).out).toBe('made')
  expect(isOver()).toBe(true)
})
