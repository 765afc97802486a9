import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  createAccountAdministration,
  createAccountStore,
  createKeyCheck,
  createKeyStore,
  createOnboarding,
  createSessionStore,
} from '../accounts/index.ts'
import { createPaymentEventStore, createSubscriptionStore, createSubscriptionTransfer } from '../billing/index.ts'
import type { Config, Secrets } from '../core/index.ts'
import { createOutbox } from '../mail/index.ts'
import {
  checkVault,
  createAuditLog,
  createCheckpoints,
  createGrantFinder,
  createIdempotencyStore,
  createVault,
  type Database,
  explainDamage,
  leaveToCheckpoints,
  openState,
  type UpgradeListener,
  type Vault,
} from '../state/index.ts'
import type { CommitListener, LedgerAlert } from '../usage/index.ts'
import { createCreditEntries, createUsageEntries, createUsageStore, type Ledger, openLedger, openTraffic } from '../usage/index.ts'
import type { AttemptListener } from '../webhooks/index.ts'
import { createCreditWatch, createWebhooks } from '../webhooks/index.ts'
import { createAccountCloser } from './account-closer.ts'
import { createAccountEraser } from './account-eraser.ts'
import { createAccountExport } from './account-export.ts'
import { createCreditAdjuster } from './credit-adjuster.ts'
import { createNotices } from './notices.ts'
import { createQueues } from './queues.ts'

export type ControlSecrets = Pick<Secrets, 'KEY_PEPPER' | 'KEY_ENCRYPTION_KEY'>

/** Maximum wait of a ledger commit for a lock. After a timeout, the commit is tried again later. */
const LEDGER_BUSY_MS = 100

/**
 * Opens the account modules on one state file. The connection of accounts and keys syncs every
 * commit to disk.
 *
 * @param onLedgerFailure called if a commit fails or uses are lost
 * @param onUpgrade called with the old and new schema version
 * @throws Error if the secrets do not belong to the state file
 * @throws Refusal integrity if the state file is damaged
 */
export const openControl = (
  { stateDb }: Pick<Config, 'stateDb'>,
  secrets: ControlSecrets,
  onLedgerFailure?: LedgerAlert,
  onCommit?: CommitListener,
  onAttempt?: AttemptListener,
  onUpgrade?: UpgradeListener,
) => explainDamage(stateDb, () => openStores(stateDb, secrets, onLedgerFailure, onCommit, onAttempt, onUpgrade))

function openStores(
  stateDb: string,
  secrets: ControlSecrets,
  onLedgerFailure?: LedgerAlert,
  onCommit?: CommitListener,
  onAttempt?: AttemptListener,
  onUpgrade?: UpgradeListener,
) {
  mkdirSync(dirname(stateDb), { recursive: true })
  const db = openState(stateDb, 'FULL', undefined, onUpgrade)
  const ledgerDb = openState(stateDb, 'NORMAL', LEDGER_BUSY_MS)
  for (const connection of [db, ledgerDb]) leaveToCheckpoints(connection)
  const vault = openVault(secrets)
  checkVault(db, vault)
  const creditWatch = createCreditWatch(ledgerDb)
  const checkpoints = createCheckpoints(ledgerDb, error => onLedgerFailure?.(error, ledger.backlogSize()))
  const ledger = openLedger(ledgerDb, onLedgerFailure, onCommit, creditWatch, checkpoints)
  const traffic = openTraffic(ledgerDb, error => onLedgerFailure?.(error, ledger.backlogSize()))
  const check = createKeyCheck(db)
  check()
  return {
    db,
    vault,
    ...createStores({ db, ledgerDb, vault, ledger, stateDb, onAttempt }),
    ledger,
    traffic,
    checkpoints,
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    /**
     * Syncs within about a second, because a sync blocks the event loop for 3 to 9 ms. A power cut
     * may undo the whole transaction.
     */
    transactionSyncedLater<T>(work: () => T): T {
      db.pragma('synchronous = NORMAL')
      try {
        return db.transaction(work).immediate()
      } finally {
        db.pragma('synchronous = FULL')
        checkpoints.schedule()
      }
    },
    /** @throws Error if reading some keys fails */
    check,
    /**
     * Commits waiting uses and counts of requests, and closes the state file. Safe to call twice.
     *
     * @returns number of lost charges
     */
    close(): number {
      if (!db.open) return 0
      // The last commit waits longer for a lock, because a failed commit loses charges.
      ledgerDb.pragma('busy_timeout = 5000')
      const lost = ledger.close()
      traffic.close()
      ledgerDb.close()
      db.close()
      return lost
    },
  }
}

/** While secrets are replaced, each secret is a pair: new value, comma, old value. */
const openVault = (secrets: ControlSecrets): Vault =>
  createVault(
    secrets.KEY_PEPPER.split(','),
    secrets.KEY_ENCRYPTION_KEY.split(',').map(key => Buffer.from(key, 'base64')),
  )

interface StoreDeps {
  readonly db: Database
  readonly ledgerDb: Database
  readonly vault: Vault
  readonly ledger: Ledger
  readonly stateDb: string
  readonly onAttempt: AttemptListener | undefined
}

function createStores({ db, ledgerDb, vault, ledger, stateDb, onAttempt }: StoreDeps) {
  const subscriptions = createSubscriptionStore(db)
  const audit = createAuditLog(db)
  const accounts = createAccountStore(db, vault, createSubscriptionTransfer({ db, vault, subscriptions, audit }))
  const keys = createKeyStore(db, vault, ledgerDb, ledger.lastUse)
  const sessions = createSessionStore(db)
  const outbox = createOutbox(db, vault)
  const idempotency = createIdempotencyStore(db, vault)
  const creditEntries = createCreditEntries(db, ledgerDb)
  const webhooks = createWebhooks({ db, vault, accounts, audit, outbox, ...(onAttempt && { onAttempt }) })
  const closeAccount = createAccountCloser({ db, accounts, keys, sessions, idempotency, webhooks, audit })
  return {
    notices: createNotices({ db, accounts, outbox, ledger, creditEntries }),
    accounts,
    administration: createAccountAdministration(db),
    keys,
    sessions,
    audit,
    grantOf: createGrantFinder(ledgerDb),
    outbox,
    idempotency,
    webhooks,
    onboarding: createOnboarding(db, vault, outbox, accounts),
    usage: createUsageStore(db),
    usageEntries: createUsageEntries(db, creditEntries),
    creditEntries,
    creditAdjuster: createCreditAdjuster({ db, accounts, creditEntries, audit }),
    subscriptions,
    paymentEvents: createPaymentEventStore(db),
    queues: createQueues(db),
    closeAccount,
    eraser: createAccountEraser({ db, stateDb, accounts, audit, closeAccount }),
    exportAccount: createAccountExport(db),
  }
}

export type Control = ReturnType<typeof openControl>
