import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { createAccountStore, createKeyCheck, createKeyStore, createOnboarding, createSessionStore } from '../accounts/index.ts'
import { createPaymentEventStore, createSubscriptionStore, createSubscriptionTransfer } from '../billing/index.ts'
import type { Config, Secrets } from '../core/index.ts'
import { createOutbox } from '../mail/index.ts'
import {
  checkVault,
  createAuditLog,
  createGrantFinder,
  createIdempotencyStore,
  createVault,
  type Database,
  explainDamage,
  openState,
  type Vault,
} from '../state/index.ts'
import type { CommitListener, LedgerAlert } from '../usage/index.ts'
import { createUsageEntries, createUsageStore, type Ledger, openLedger } from '../usage/index.ts'
import type { AttemptListener } from '../webhooks/index.ts'
import { createCreditWatch, createWebhooks } from '../webhooks/index.ts'
import { createAccountCloser } from './closing.ts'
import { createNotices } from './notices.ts'
import { createQueues } from './queues.ts'

export type ControlSecrets = Pick<Secrets, 'KEY_PEPPER' | 'KEY_ENCRYPTION_KEY'>

/** How long a commit of the ledger waits for another process that writes; then its rows join the backlog and reads go on. */
const LEDGER_WAIT_MS = 100

/**
 * The control plane over one state file: accounts and keys use a connection that syncs every commit, the ledger has its own connection.
 *
 * @param alert called for every ledger commit that failed, and for uses that are lost
 * @param committed told of every commit of the ledger
 * @param attempted told of every attempt to deliver a webhook, once it is written down
 * @throws Error when the secrets are not those the state file was made with
 * @throws Refusal integrity when the state file is damaged
 */
export const openControl = (
  { stateDb }: Pick<Config, 'stateDb'>,
  secrets: ControlSecrets,
  alert?: LedgerAlert,
  committed?: CommitListener,
  attempted?: AttemptListener,
) => explainDamage(stateDb, () => openStores(stateDb, secrets, alert, committed, attempted))

function openStores(
  stateDb: string,
  secrets: ControlSecrets,
  alert?: LedgerAlert,
  committed?: CommitListener,
  attempted?: AttemptListener,
) {
  mkdirSync(dirname(stateDb), { recursive: true })
  const db = openState(stateDb)
  const ledgerDb = openState(stateDb, 'NORMAL', LEDGER_WAIT_MS)
  const vault = vaultOf(secrets)
  checkVault(db, vault)
  const creditWatch = createCreditWatch(ledgerDb)
  const ledger = openLedger(ledgerDb, alert, committed, creditWatch)
  const check = createKeyCheck(db)
  check()
  return {
    db,
    vault,
    ...storesOf(db, ledgerDb, vault, ledger, attempted),
    ledger,
    /** Runs work in one transaction: all of its writes are kept, or none. */
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    /** Throws when keys cannot be read from the state file. */
    check,
    /** Commits what the ledger still holds, then closes both connections. Does nothing when closed already. */
    close() {
      if (!db.open) return
      // This is the last chance to commit the backlog, which is worth a wait.
      ledgerDb.pragma('busy_timeout = 5000')
      ledger.close()
      ledgerDb.close()
      db.close()
    },
  }
}

/** During a rotation each secret is the new value and the previous one, separated by a comma. */
const vaultOf = (secrets: ControlSecrets): Vault =>
  createVault(
    secrets.KEY_PEPPER.split(','),
    secrets.KEY_ENCRYPTION_KEY.split(',').map(key => Buffer.from(key, 'base64')),
  )

function storesOf(db: Database, ledgerDb: Database, vault: Vault, ledger: Ledger, attempted?: AttemptListener) {
  const [subscriptions, audit] = [createSubscriptionStore(db), createAuditLog(db)]
  const [accounts, keys, sessions] = [
    createAccountStore(db, vault, createSubscriptionTransfer({ db, vault, subscriptions, audit })),
    createKeyStore(db, vault, ledgerDb, ledger.lastUse),
    createSessionStore(db),
  ]
  const outbox = createOutbox(db, vault)
  const repeats = createIdempotencyStore(db, vault)
  const webhooks = createWebhooks({ db, vault, accounts, audit, outbox, ...(attempted && { onAttempt: attempted }) })
  return {
    notices: createNotices({ db, accounts, outbox, ledger }),
    accounts,
    keys,
    sessions,
    audit,
    grantOf: createGrantFinder(ledgerDb),
    outbox,
    repeats,
    webhooks,
    onboarding: createOnboarding(db, vault, outbox, accounts),
    usage: createUsageStore(db),
    usageEntries: createUsageEntries(db),
    subscriptions,
    paymentEvents: createPaymentEventStore(db),
    queues: createQueues(db),
    closeAccount: createAccountCloser({ db, accounts, keys, sessions, repeats, webhooks, audit }),
  }
}

export type Control = ReturnType<typeof openControl>
