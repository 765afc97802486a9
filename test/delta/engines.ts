import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

// `test/delta/run` installs these programs here. Environment variables can name other places.
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'twmd')
export const READERS_PYTHON = process.env['TABLES_PYTHON'] ?? join(CACHE, 'readers/bin/python')
export const SPARK_PYTHON = process.env['TABLES_SPARK'] ?? join(CACHE, 'spark/bin/python')
export const TRINO_SERVER = process.env['TRINO_SERVER'] ?? join(CACHE, 'trino/trino-server-476')

/** Trino 476 needs Java 24 or later. */
const javas = process.env['TRINO_JAVA'] ? [process.env['TRINO_JAVA']] : ['java', ...globSync('/usr/lib/jvm/*/bin/java')]
const javaVersion = (java: string): number =>
  Number(/\d+/.exec(spawnSync(java, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? 0)
export const TRINO_JAVA = existsSync(join(TRINO_SERVER, 'lib')) ? javas.find(java => javaVersion(java) >= 24) : undefined

/**
 * True if a Python has all of these modules.
 *
 * @param modules names, separated by commas
 */
export const hasModules = (python: string, modules: string): boolean => spawnSync(python, ['-c', `import ${modules}`]).status === 0

export const hasTrino = TRINO_JAVA !== undefined && hasModules(READERS_PYTHON, 'trino')
export const TRINO_NEEDS = `${TRINO_SERVER}, Java 24 in TRINO_JAVA or /usr/lib/jvm, and the client in ${READERS_PYTHON}: run test/delta/run`

/** Path of a command that a package of `READERS_PYTHON` installed. */
export const readersCommand = (name: string): string => join(dirname(READERS_PYTHON), name)

/** Time limit of a program in milliseconds. The time limits of the tests are longer. */
const LONGEST_RUN_MS = 600_000

export interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Runs a program without blocking this process, which may have to serve the program's requests.
 *
 * @returns its output
 * @throws Error with its error output if it fails or does not end in time
 */
export async function run(program: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, TZ: 'UTC', ...env },
    maxBuffer: 2 ** 26,
    timeout: LONGEST_RUN_MS,
    killSignal: 'SIGKILL',
  })
  return stdout
}

/** Runs a Python program and parses the last line that it prints. */
export const resultOf = async (python: string, args: readonly string[], options: RunOptions = {}): Promise<unknown> =>
  JSON.parse((await run(python, args, options)).trimEnd().split('\n').at(-1)!)

/** Compares every version that a reader reads with the rows in `tables.json` of the folder. */
export const comparison = (python: string, reader: string, folder: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> =>
  resultOf(python, ['test/delta/readers/compare.py', reader, folder], { env })
