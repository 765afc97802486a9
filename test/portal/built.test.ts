import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadAssets } from '../../src/http/routes/portal/assets.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BUILT = new URL('../../src/portal/dist/', import.meta.url)

it('builds pages that name no path of this machine', () => {
  const files = readdirSync(BUILT).filter(name => /\.(js|css)$/.test(name))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter(name => readFileSync(new URL(name, BUILT), 'utf8').includes(ROOT))).toEqual([])
})

it('has a page ask for a handful of scripts and styles', () => {
  const assets = loadAssets()
  const pages = readdirSync(new URL('src/portal/pages/', `file://${ROOT}`)).map(page => `pages/${page}/main.tsx`)
  const filesOf = (entry: string) => {
    const [frame, own] = [assets.entry('frame/main.tsx'), assets.entry(entry)]
    return new Set([frame, own].flatMap(({ script, imports, styles }) => [script, ...imports, ...styles]))
  }
  expect(pages.length).toBeGreaterThan(10)
  for (const page of pages) expect(filesOf(page).size, page).toBeLessThanOrEqual(8)
  expect([...filesOf('pages/home/main.tsx')].map(file => file?.replace(/-[\w-]{8}\./, '.')).toSorted()).toEqual([
    '/assets/frame-main-tsx.js',
    '/assets/frame.js',
    '/assets/pages-home-main-tsx.css',
    '/assets/pages-home-main-tsx.js',
  ])
})

/** Runs a few lines beside a copy of the sources that has no build. */
function withoutBuild(lines: string, prepare: (copy: string) => void = () => {}): string {
  const copy = mkdtempSync(join(tmpdir(), 'twmd-portal-'))
  try {
    cpSync(join(ROOT, 'src/portal'), join(copy, 'src/portal'), { recursive: true, filter: file => !file.endsWith('/dist') })
    for (const name of ['node_modules', 'package.json', 'package-lock.json', 'tsconfig.json'])
      symlinkSync(join(ROOT, name), join(copy, name))
    prepare(copy)
    const { NODE_ENV: _, ...env } = process.env
    const program = `import { buildPortal } from './src/portal/index.ts'; ${lines}`
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: copy, env, encoding: 'utf8' }).trim()
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

it('leaves neither the build tool nor its environment in the process that asked for a build', () => {
  const lines = `const built = await buildPortal()
    const { sharedObjects } = process.report.getReport()
    console.log(built, process.env.NODE_ENV, sharedObjects.length > 0, sharedObjects.filter(file => /rolldown|lightningcss/.test(file)).length)`
  expect(withoutBuild(lines)).toBe('made undefined true 0')
})

it('says which file cannot be built', () => {
  const lines = 'console.log(await buildPortal().catch(String))'
  const said = withoutBuild(lines, copy => appendFileSync(join(copy, 'src/portal/pages/home/main.tsx'), "import './missing.ts'\n"))
  expect(said).toContain('pages/home/main.tsx')
  expect(said).toContain('missing.ts')
})
