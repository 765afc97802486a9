/** What every room may use: configuration, refusals, ids, logs, secrets, time. */
export { addressBucket, addressNetwork, isPublicAddress } from './address.ts'
export { isAlive } from './alive.ts'
export { type Attempt, coalesce, coalesceBy, coalesceNext, createSerial, shouldRetry } from './async.ts'
export { type Clock, MOMENT_FORM, momentOf, nextMonth, taipei, taipeiDay, taipeiText } from './clock.ts'
export {
  type Config,
  type FetchSettings,
  Retention,
  readConfig,
} from './config.ts'
export { A_DAY, addDays, DAY_FORM, DAY_MS, dayText, HOUR_MS, isDay } from './dates.ts'
export { syncFolder, syncNow, writeSynced } from './durable.ts'
export { REFUSAL_CODES, type RefusalCode, type Words } from './errors.ts'
export { FAULT_TYPES, type FaultType } from './fault-types.ts'
export { checkFolder, makeFolder } from './folder.ts'
export type { Grant } from './grant.ts'
export { firstRequestId, newId } from './ids.ts'
export { LABEL_FORM, LABEL_WORDS } from './label.ts'
export { createLog, type Log } from './log.ts'
export { machineMemory } from './machine-memory.ts'
export { flagOf, nearest, nearestParam } from './nearest.ts'
export { once } from './once.ts'
export type { Prices } from './payment-settings.ts'
export { clipped, withhold, withholdConfigured, withoutSecrets } from './redaction.ts'
export {
  commandRefusal,
  type Facts,
  type Fault,
  faultWords,
  inputRefusal,
  ofDataset,
  parameterRefusal,
  Refusal,
  shortage,
} from './refusal.ts'
export { sameSecret } from './same-secret.ts'
export { readSealed, sealedLine } from './sealed-lines.ts'
export { SECRET_NAMES, type SecretName } from './secret-files.ts'
export { loadSecrets, type Secrets } from './secrets.ts'
export { type Stopwatch, serverTiming, stopwatch } from './stopwatch.ts'
export type { TraceSettings } from './trace-settings.ts'
export { afterRunning, createWaitQueue, type WaitQueue } from './waiting.ts'
export type { WorkerState } from './worker-state.ts'
