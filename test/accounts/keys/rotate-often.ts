import { openControl, rotateVault } from '../../../src/control/index.ts'

/**
 * Rotates the secrets of a state file forwards and back in a separate process. Arguments: state
 * file, number of rotations, both peppers, both encryption keys.
 */
const [stateDb, times, firstPepper, secondPepper, firstKey, secondKey] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const forth = { KEY_PEPPER: `${firstPepper},${secondPepper}`, KEY_ENCRYPTION_KEY: `${firstKey},${secondKey}` }
const back = { KEY_PEPPER: `${secondPepper},${firstPepper}`, KEY_ENCRYPTION_KEY: `${secondKey},${firstKey}` }
const controls = [back, forth].map(secrets => openControl({ stateDb }, secrets))
for (let count = 0; count < Number(times); count++) rotateVault(controls[count % 2]!.db, controls[count % 2]!.vault)
for (const control of controls) control.close()
