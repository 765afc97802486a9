import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SECRET_NAMES } from '../../../src/core/index.ts'
import { dataFolder } from '../../support.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
/** Whether a program is to be had on this machine. */
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
const { scripts, optionalDependencies } = JSON.parse(read('package.json')) as Readonly<Record<string, Readonly<Record<string, string>>>>
const nodes = Object.entries(optionalDependencies!).filter(([name]) => /^node-/.test(name))

it('names one version of Node, in the five packages and for version managers', () =>
  expect([...new Set(nodes.map(([, version]) => version))]).toEqual([read('.nvmrc').trim()]))

describe('the workflow', () => {
  const workflow = read('.github/workflows/ci.yml')
  it("runs the README's two commands on Linux and macOS", () => {
    const [demo, test] = [...read('README.md').matchAll(/^npm ci && npm .*$/gm)].map(([command]) => command)
    expect([demo, test]).toEqual(['npm ci && npm run demo', 'npm ci && npm test'])
    for (const said of [demo, test, 'ubuntu-latest', 'macos-latest', 'node-version-file: .nvmrc']) expect(workflow).toContain(said)
  })
})

it.each(['.github/workflows/ci.yml', '.lefthook.yml', '.github/PULL_REQUEST_TEMPLATE.md'])('%s names scripts that are there', path => {
  const named = [...read(path).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, word]) => run ?? word!)
  expect(named.filter(name => scripts![name] === undefined)).toEqual([])
})

describe('the files for deployment', () => {
  it('copy what is there into the image, and leave nothing of it out of the build', () => {
    const copied = [...read('docs/deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '))
    const taken = read('docs/deploy/Dockerfile.dockerignore').match(/(?<=^!).+$/gm)
    expect([...new Set(copied)].sort()).toEqual([...taken!].sort())
    expect(copied.filter(path => !existsSync(path))).toEqual([])
  })
  it('start the command there is, on the Node there is', () => {
    const [, node, script] = /^ExecStart=\/opt\/twmd\/node_modules\/([\w-]+)\/bin\/node (\S+) serve$/m.exec(
      read('docs/deploy/twmd.service'),
    )!
    expect(nodes.map(([name]) => name)).toContain(node)
    expect(existsSync(script!)).toBe(true)
    expect(read('docs/deploy/Dockerfile')).toContain(`ENTRYPOINT ["node", "${script}"]`)
    expect(read('docs/deploy/compose.yaml')).toContain('dockerfile: docs/deploy/Dockerfile')
  })
  it('copy what the pages are built from before they are built', () => {
    const [, pages] = /^FROM \S+ AS pages\n([\s\S]*?)\n\nFROM/m.exec(read('docs/deploy/Dockerfile'))!
    const extended = JSON.parse(read('src/portal/tsconfig.json')).extends as string
    expect(pages!.slice(0, pages!.indexOf('npm run build'))).toContain(`COPY ${basename(extended)} `)
  })
  it('hand secrets over as files: each that is named has its file, and none is missing', () => {
    const compose = read('docs/deploy/compose.yaml')
    const named = [...compose.matchAll(/^ {6}(\w+)_FILE: \/run\/secrets\/(\w+)$/gm)].map(([, name, file]) => [name, file])
    expect(named.map(([name]) => name)).toEqual([...SECRET_NAMES, 'MAIL_URL'])
    for (const [name, file] of named) {
      expect(file).toBe(name!.toLowerCase())
      expect(compose).toContain(`  ${file}:\n    file: secrets/${file}\n`)
      expect(compose).toContain(`      - ${file}\n`)
    }
  })
  it('are preceded by commands that make each of these secrets, for their owner alone', async () => {
    const { dir, remove } = await dataFolder()
    const [, commands] = /```text\n(\(umask[\s\S]*?\))\n/.exec(read('docs/deploy/README.md'))!
    expect(spawnSync('sh', ['-ec', `umask 022\n${commands}`], { cwd: dir }).status).toBe(0)
    const made = readdirSync(join(dir, 'docs/deploy/secrets'))
    expect(made.sort()).toEqual([...SECRET_NAMES, 'MAIL_URL'].map(name => name.toLowerCase()).sort())
    for (const name of made) {
      const file = join(dir, 'docs/deploy/secrets', name)
      expect(statSync(file).mode & 0o777, name).toBe(0o600)
      expect(statSync(file).size, name).toBeGreaterThan(32)
    }
    await remove()
  })
  it('put Caddy where TRUST_PROXY names it', () => {
    const compose = read('docs/deploy/compose.yaml')
    const [, proxy] = /TRUST_PROXY: (\S+)/.exec(compose)!
    expect(compose.slice(compose.indexOf('\n  caddy:'))).toContain(`ipv4_address: ${proxy}\n`)
  })
  it.skipIf(!has('systemd-analyze'))(
    'are units that systemd takes, and calls well enclosed (skipped without systemd-analyze)',
    async () => {
      const { dir, remove } = await dataFolder()
      const units = readdirSync('docs/deploy').filter(name => /\.(service|timer)$/.test(name))
      expect(units.length).toBe(5)
      for (const name of units) {
        // The program lies elsewhere on the machine that the unit is for.
        const text = read(`docs/deploy/${name}`)
          .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
          .replace(/^WorkingDirectory=.*\n/m, '')
        writeFileSync(join(dir, name), text)
      }
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map(name => join(dir, name))], { encoding: 'utf8' })
      expect([status, stderr.split('\n').filter(line => line.includes(dir))]).toEqual([0, []])
      for (const name of units.filter(unit => unit.endsWith('.service'))) {
        const said = spawnSync('systemd-analyze', ['security', '--offline=yes', join(dir, name)], { encoding: 'utf8' }).stdout
        expect([name, Number(/exposure level for \S+: ([\d.]+)/.exec(said)?.[1])]).toEqual([
          name,
          expect.toSatisfy((level: number) => level < 3),
        ])
      }
      await remove()
    },
  )
  it.skipIf(!has('caddy'))('are settings that Caddy takes (skipped without caddy)', () => {
    const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', 'docs/deploy/Caddyfile'], {
      encoding: 'utf8',
    })
    expect([status, status === 0 || stderr]).toEqual([0, true])
  })
})
