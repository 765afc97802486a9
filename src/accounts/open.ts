import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../core/config.ts'
import type { Secrets } from '../core/secrets.ts'
import { accountStore } from './accounts.ts'
import { openState } from './db.ts'
import { keyStore } from './keys.ts'
import { openLedger } from './ledger.ts'
import { openVault } from './vault.ts'

/** The control plane over one state file: accounts and keys on a connection that syncs every commit, the ledger on its own. */
export function openControl({ stateDb }: Pick<Config, 'stateDb'>, secrets: Pick<Secrets, 'KEY_PEPPER' | 'KEY_ENCRYPTION_KEY'>) {
  mkdirSync(dirname(stateDb), { recursive: true })
  const db = openState(stateDb)
  const ledgerDb = openState(stateDb, 'NORMAL')
  const vault = openVault(secrets.KEY_PEPPER, Buffer.from(secrets.KEY_ENCRYPTION_KEY, 'base64'))
  const ping = db.prepare('SELECT 1')
  return {
    accounts: accountStore(db),
    keys: keyStore(db, vault),
    ledger: openLedger(ledgerDb),
    /** Throws when the state file does not answer. */
    check: () => void ping.get(),
    close() {
      ledgerDb.close()
      db.close()
    },
  }
}

export type Control = ReturnType<typeof openControl>
