import { existsSync } from 'node:fs'
import { setPlans } from '../../../catalog/index.ts'
import { type Control, openControl } from '../../control/index.ts'
import { checkFolder, loadSecrets, readPlans } from '../../core/index.ts'
import { type AuditAction, createAuditLog, openState } from '../../state/index.ts'
import { configured } from '../workspace.ts'

/**
 * Runs work on an existing state file, also while a service runs on it.
 *
 * @throws Error if there is no state file: a mistyped DATA_DIR must not leave one behind
 */
export function withControl<T>(work: (control: Control) => T): T {
  const config = configured(process.env, checkFolder)
  if (!existsSync(config.stateDb))
    throw new Error(`There is no state file ${config.stateDb}; set DATA_DIR or STATE_DB to those of the service.`)
  const control = openControl(config, loadSecrets(config))
  try {
    return work(control)
  } finally {
    control.close()
  }
}

/**
 * The same for work that uses limits of plans.
 *
 * @throws Error also for an invalid file of plans
 */
export function withPlans<T>(work: (control: Control) => T): T {
  setPlans(readPlans(configured(process.env, checkFolder).dataDir))
  return withControl(work)
}

/**
 * Records an operator's act on releases, files or the state file in the audit log. Does nothing
 * without a state file, for example on a machine that only publishes. Needs no secrets.
 *
 * @param target id of the changed object
 */
export function recordAct(action: AuditAction, target: string | null, facts: Readonly<Record<string, unknown>>): void {
  const { stateDb } = configured()
  if (!existsSync(stateDb)) return
  const db = openState(stateDb)
  try {
    createAuditLog(db).write({ actor: 'operator', action, accountId: '', ...(target !== null && { target }), facts }, new Date())
  } finally {
    db.close()
  }
}
