import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PEERS_FOLDER, PYTHON_FOLDER } from './folders.ts'

const DRIVER = 'pg@8.23.1'

const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ['python3', '-m', 'venv', PYTHON_FOLDER],
  [join(PYTHON_FOLDER, 'bin', 'pip'), 'install', '--quiet', '--requirement', join(import.meta.dirname, 'requirements.txt')],
  ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', PEERS_FOLDER, DRIVER],
]

mkdirSync(PEERS_FOLDER, { recursive: true })
// Without this file, npm would install into a parent folder.
writeFileSync(join(PEERS_FOLDER, 'package.json'), '{ "private": true }\n')
const failed = COMMANDS.filter(([program, ...args]) => {
  console.error([program, ...args].join(' '))
  return spawnSync(program, args, { stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) {
  console.error('The benchmark skips peers that could not be installed, with a message.')
  process.exitCode = 1
}
