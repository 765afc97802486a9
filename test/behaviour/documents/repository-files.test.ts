import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { SECRET_NAMES } from '../../../src/core/index.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const { scripts, optionalDependencies } = JSON.parse(read('package.json')) as Readonly<Record<string, Readonly<Record<string, string>>>>
const nodes = Object.entries(optionalDependencies!).filter(([name]) => /^node-/.test(name))

it('package.json and .nvmrc name the same version of Node', () =>
  expect([...new Set(nodes.map(([, version]) => version))]).toEqual([read('.nvmrc').trim()]))

const workflow = read('.github/workflows/ci.yml')
it("ci.yml runs the README's two commands on Linux and macOS", () => {
  const [demo, test] = [...read('README.md').matchAll(/^npm ci && npm .*$/gm)].map(([command]) => command)
  expect([demo, test]).toEqual(['npm ci && npm run demo', 'npm ci && npm test'])
  for (const text of [demo, test, 'ubuntu-latest', 'macos-latest', 'node-version-file: .nvmrc']) expect(workflow).toContain(text)
})

it.each(['.github/workflows/ci.yml', '.lefthook.yml', '.github/PULL_REQUEST_TEMPLATE.md'])('%s names only existing npm scripts', path => {
  const named = [...read(path).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, word]) => run ?? word!)
  expect(named.filter(name => scripts![name] === undefined)).toEqual([])
})

it('the Dockerfile copies exactly the files in the build context, and all of them exist', () => {
  const copied = [...read('docs/deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '))
  const taken = read('docs/deploy/Dockerfile.dockerignore').match(/(?<=^!).+$/gm)
  expect([...new Set(copied)].sort()).toEqual([...taken!].sort())
  expect(copied.filter(path => !existsSync(path))).toEqual([])
})
it('twmd.service and the Dockerfile start an existing command with the pinned version of Node', () => {
  const [, node, script] = /^ExecStart=\/opt\/twmd\/node_modules\/([\w-]+)\/bin\/node (\S+) serve$/m.exec(read('docs/deploy/twmd.service'))!
  expect(nodes.map(([name]) => name)).toContain(node)
  expect(existsSync(script!)).toBe(true)
  expect(read('docs/deploy/Dockerfile')).toContain(`ENTRYPOINT ["node", "${script}"]`)
  expect(read('docs/deploy/compose.yaml')).toContain('dockerfile: docs/deploy/Dockerfile')
})
it('the Dockerfile copies the TypeScript configuration of the pages before it builds them', () => {
  const [, pages] = /^FROM \S+ AS pages\n([\s\S]*?)\n\nFROM/m.exec(read('docs/deploy/Dockerfile'))!
  const extended = JSON.parse(read('portal/tsconfig.json')).extends as string
  expect(pages!.slice(0, pages!.indexOf('npm run build'))).toContain(`COPY ${basename(extended)} `)
})
it('compose.yaml passes every secret as a file', () => {
  const compose = read('docs/deploy/compose.yaml')
  const named = [...compose.matchAll(/^ {6}(\w+)_FILE: \/run\/secrets\/(\w+)$/gm)].map(([, name, file]) => [name, file])
  expect(named.map(([name]) => name)).toEqual([...SECRET_NAMES, 'MAIL_URL'])
  for (const [name, file] of named) {
    expect(file).toBe(name!.toLowerCase())
    expect(compose).toContain(`  ${file}:\n    file: secrets/${file}\n`)
    expect(compose).toContain(`      - ${file}\n`)
  }
})
it('compose.yaml gives Caddy the address that TRUST_PROXY names', () => {
  const compose = read('docs/deploy/compose.yaml')
  const [, proxy] = /TRUST_PROXY: (\S+)/.exec(compose)!
  expect(compose.slice(compose.indexOf('\n  caddy:'))).toContain(`ipv4_address: ${proxy}\n`)
})
