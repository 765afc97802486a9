import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { supervise, type Worker } from '../../src/cli/serve/supervisor.ts'
import { CHECKOUT } from '../fixtures/cli/twmd.ts'

/** A folder for a program that runs under supervision. */
export function supervisedFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'twmd-supervisor-'))
  let worker: Worker | undefined
  const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  return {
    folder,
    /** Log lines of the supervisor and of the program. */
    lines,
    /** Process ids of the program, one per start. */
    pids: (): readonly number[] => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n').map(Number),
    /** Runs a program under supervision. */
    run(program: string, options: { readonly graceMs?: number } = {}): Worker {
      const file = join(folder, 'program.mjs')
      const imports = `import { appendFileSync } from 'node:fs'\nimport { supervised } from ${JSON.stringify(join(CHECKOUT, 'src/cli/serve/supervisor.ts'))}\n`
      writeFileSync(
        file,
        `${imports}const ran = ${JSON.stringify(join(folder, 'ran'))}\nappendFileSync(ran, process.pid + '\\n')\n${program}\n`,
      )
      worker = supervise({
        name: 'program',
        argv: [file],
        log: (event, facts = {}) => void lines.push([event, facts]),
        firstWaitMs: 20,
        ...options,
      })
      return worker
    },
    async close(): Promise<void> {
      await worker?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10)
}
