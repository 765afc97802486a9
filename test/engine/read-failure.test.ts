import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Engine, openEngine, readFailure, type Session } from '../../src/engine/index.ts'

let dir: string
let engine: Engine
let session: Session
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'twmd-read-failure-'))
  engine = await openEngine({ threads: 1, memoryLimit: '1GB' })
  session = await engine.connect()
})
afterAll(() => {
  session.close()
  engine.close()
  rmSync(dir, { recursive: true })
})

async function failureOf(name: string, content: string, read: (path: string) => string) {
  const path = join(dir, name)
  writeFileSync(path, content)
  return session.run(`SELECT * FROM ${read(`'${path}'`)}`).then(
    () => undefined,
    error => readFailure(error),
  )
}

const csv = (path: string): string =>
  `read_csv(${path}, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"', skip = 0)`

it('a CSV file with uneven lines or an unclosed quote fails with the kind "uneven lines"', async () => {
  expect(await failureOf('long.csv', 'a,b\n1,2\n3,4,5\n', csv)).toEqual({ kind: 'uneven lines' })
  expect(await failureOf('quote.csv', 'a,b\n1,"2\n3,4\n', csv)).toEqual({ kind: 'uneven lines' })
})

it('other unreadable files fail with the engine’s message on one line', async () => {
  const failure = await failureOf('text.parquet', 'not a parquet file', path => `read_parquet(${path})`)
  expect(failure).toMatchObject({ kind: 'other', reason: expect.stringMatching(/^[^\n]*text\.parquet[^\n]*$/) })
})
