import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasModules, READERS_PYTHON } from '../../delta/engines.ts'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { type Mirror, type Origin, openMirror, openOrigin, SLUG } from './table-mirror.ts'

const isThere = hasModules(READERS_PYTHON, 'deltalake')

/** Prints the rows of each version, sorted; null for a version with missing files. */
const READ = `
import json, sys
from deltalake import DeltaTable
folder = sys.argv[1]
newest = DeltaTable(folder).version()
def rows(version):
    try:
        table = DeltaTable(folder, version=version).to_pyarrow_table()
    except Exception as error:
        if "No such file" not in str(error) and "not found" not in str(error):
            raise
        return None
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in table.to_pylist())
print(json.dumps([rows(version) for version in range(newest + 1)]))
`
const versionsIn = (logFolder: string): readonly (readonly string[] | null)[] =>
  JSON.parse(execFileSync(READERS_PYTHON, ['-c', READ, join(logFolder, '..')], { encoding: 'utf8' }))

describe.skipIf(!isThere)(`a mirror read by delta-rs (skipped if ${READERS_PYTHON} lacks deltalake: run test/delta/run)`, () => {
  let origin: Origin
  let mirror: Mirror
  beforeAll(async () => {
    origin = await openOrigin()
    mirror = await openMirror(origin)
  })
  afterAll(async () => {
    await mirror.close()
    await origin.close()
  })

  it('VERSION AS OF selects the same rows on a mirror and its origin, also after twmd pull replaced a log with other version numbers', async () => {
    await origin.publish(0, 1)
    await mirror.pullWithOwnNumbers()
    await origin.publish(2, 3)
    const pull = () =>
      ended(startTwmd(mirror.dir, ['pull', SLUG, join(mirror.dir, 'releases'), '--from', origin.url], { TWMD_API_KEY: origin.key }))
    expect(await pull()).toMatchObject({ code: 0, stderr: '' })
    await origin.publish(4, 5)
    await origin.withdraw()
    expect(await pull()).toMatchObject({ code: 0, stderr: '' })
    const [expected, found] = [versionsIn(origin.folder), versionsIn(mirror.folder)]
    expect(found).toHaveLength(expected.length)
    for (const [version, rows] of found.entries()) if (rows) expect(rows, `version ${version}`).toEqual(expected[version])
    expect(found.flatMap((rows, version) => (rows ? [version] : []))).toEqual(expect.arrayContaining([1, 3, 6]))
  }, 60_000)
})
