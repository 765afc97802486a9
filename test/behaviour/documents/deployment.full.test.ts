import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SECRET_NAMES } from '../../../src/core/index.ts'
import { dataFolder } from '../../support.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
/** True if a program is installed. */
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined

it('docs/deploy/README.md creates every secret, readable by its owner only', async () => {
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

it.skipIf(!has('systemd-analyze'))(
  'the systemd units are valid and have an exposure level below 3 (skipped without systemd-analyze)',
  async () => {
    const { dir, remove } = await dataFolder()
    const units = readdirSync('docs/deploy').filter(name => /\.(service|timer)$/.test(name))
    expect(units.length).toBe(5)
    for (const name of units) {
      // The unit contains the path of the program on the target machine, which differs from the
      // path here.
      const text = read(`docs/deploy/${name}`)
        .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
        .replace(/^WorkingDirectory=.*\n/m, '')
      writeFileSync(join(dir, name), text)
    }
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map(name => join(dir, name))], { encoding: 'utf8' })
    expect([status, stderr.split('\n').filter(line => line.includes(dir))]).toEqual([0, []])
    for (const name of units.filter(unit => unit.endsWith('.service'))) {
      const output = spawnSync('systemd-analyze', ['security', '--offline=yes', join(dir, name)], { encoding: 'utf8' }).stdout
      expect([name, Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1])]).toEqual([
        name,
        expect.toSatisfy((level: number) => level < 3),
      ])
    }
    await remove()
  },
)

it.skipIf(!has('caddy'))('the Caddyfile is valid (skipped without caddy)', () => {
  const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', 'docs/deploy/Caddyfile'], {
    encoding: 'utf8',
  })
  expect([status, status === 0 || stderr]).toEqual([0, true])
})
