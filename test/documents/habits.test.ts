import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(path, 'utf8')
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
})
