import type { Database } from '../state/db.ts'
import type { Vault } from './vault.ts'

const [WORD, OWNER] = ['twmd', 'vault mark']

/**
 * Makes sure that the secrets at hand are those the state file was made with; the first start leaves a mark to tell by.
 *
 * @throws Error naming the variable that does not fit, before any key is refused for it
 */
export function checkVault(db: Database, vault: Vault): void {
  const mark = db.prepare<[], { lookup: Buffer; sealed: Buffer }>('SELECT lookup, sealed FROM vault_mark').get()
  if (!mark) return void markVault(db, vault)
  if (!vault.lookups(WORD).some(digest => digest.equals(mark.lookup))) throw new Error(said('KEY_PEPPER'))
  try {
    vault.open(mark.sealed, OWNER)
  } catch {
    throw new Error(said('KEY_ENCRYPTION_KEY'))
  }
}

/** Leaves the mark of the secrets in use; a rotation ends with it. */
export function markVault(db: Database, vault: Vault): void {
  db.prepare(
    'INSERT INTO vault_mark (id, lookup, sealed) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET lookup = excluded.lookup, sealed = excluded.sealed',
  ).run(vault.lookup(WORD), vault.seal(WORD, OWNER))
}

const said = (name: string): string =>
  `${name} is not the one this state file was made with; every stored key would be refused. Set the former value, or restore secrets.json from the backup made with the state file.`
