import { loadSecrets, readConfig } from '../../src/core/index.ts'

/**
 * A process that loads the secrets of many new data folders at the same times as other processes,
 * to be the first in a folder. Arguments: folder, number, first time. Prints the loaded secrets.
 */
const [folder, times, first] = process.argv.slice(2) as [string, string, string]
const got: string[] = []
for (let count = 0; count < Number(times); count++) {
  while (Date.now() < Number(first) + count * 10);
  got.push(Object.values(loadSecrets(readConfig({ DATA_DIR: `${folder}/${count}` }))).join())
}
console.log(JSON.stringify(got))
