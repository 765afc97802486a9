import { existsSync } from 'node:fs'
import { setPlans } from '../../../catalog/index.ts'
import { type Control, openControl } from '../../control/index.ts'
import { type Config, checkFolder, loadSecrets, readPlans } from '../../core/index.ts'
import { type AuditAction, createAuditLog, openState } from '../../state/index.ts'
import { configured } from '../workspace.ts'

/**
 * Safe while a service uses the file.
 * @throws Error if there is no state file. DATA_DIR may be mistyped
 */
export function openExisting(): { readonly config: Config; readonly control: Control } {
  const config = configured(process.env, checkFolder)
  if (!existsSync(config.stateDb)) throw new Error(`State file not found: ${config.stateDb}. Set DATA_DIR or STATE_DB as for the service.`)
  return { config, control: openControl(config, loadSecrets(config)) }
}

/** @throws Error for an invalid plans file */
export const loadPlans = (): void => setPlans(readPlans(configured(process.env, checkFolder).dataDir))

/** @throws Error if there is no state file */
export function withControl<T>(work: (control: Control) => T): T {
  const { control } = openExisting()
  try {
    return work(control)
  } finally {
    control.close()
  }
}

/**
 * Applies the plans of the data folder before calling `work`.
 * @throws Error if there is no state file, or if the plans file is invalid
 */
export function withPlans<T>(work: (control: Control) => T): T {
  loadPlans()
  return withControl(work)
}

/**
 * Writes an audit entry. Does nothing without a state file. Needs no secrets.
 * @param target id of the changed object
 */
export function recordAct(action: AuditAction, target: string | null, facts: Readonly<Record<string, unknown>>): void {
  const { stateDb } = configured()
  if (!existsSync(stateDb)) return
  const db = openState(stateDb)
  try {
    createAuditLog(db).write({ actor: 'operator', action, accountId: null, ...(target !== null && { target }), facts }, new Date())
  } finally {
    db.close()
  }
}
