/** Shared foundations: configuration, refusals, ids, log, secrets, time. */
export { addressBucket, addressNetwork, isPublicAddress } from './address.ts'
export { type BuildAttempt, coalesce, coalesceBy, coalesceNext, createSerial, once, shouldRetry } from './async.ts'
export { checksummedLine, readChecksummedLines } from './checksummed-lines.ts'
export {
  type Config,
  type FetchSettings,
  Retention,
  readConfig,
} from './config.ts'
export { syncFolder, syncNow, writeSynced } from './durable.ts'
export { SECRET_NAMES, type SecretName, splitList } from './environment.ts'
export { REFUSAL_CODES, type RefusalCode, type Words } from './errors.ts'
export { checkFolder, makeFolder } from './folder.ts'
export type { Grant, Limits } from './grant.ts'
export { firstRequestId, newId } from './ids.ts'
export { limitInformational } from './informational.ts'
export { LABEL_PATTERN, LABEL_WORDS } from './label.ts'
export { createLog, type Log } from './log.ts'
export { flagOf, nearest, nearestParam } from './nearest.ts'
export { keepNextTickFast } from './next-tick.ts'
export type { Prices } from './payment-settings.ts'
export { followPlans, PLANS_FILE, planChanges, plansAsFile, readPlans } from './plans-file.ts'
export { yieldToCallers, yieldToService } from './priority.ts'
export { isAlive, machineMemory, type WorkerState } from './process.ts'
export { createRecentTexts } from './recent-texts.ts'
export { clipped, registerConfiguredSecrets, registerSecrets, withoutSecrets } from './redaction.ts'
export {
  commandRefusal,
  FAULT_TYPES,
  type Facts,
  type Fault,
  type FaultType,
  faultWords,
  inputRefusal,
  ofDataset,
  parameterRefusal,
  Refusal,
  shortage,
} from './refusal.ts'
export { loadSecrets, type Secrets, sameSecret, storeRotatedSecrets } from './secrets.ts'
export { createSlices, type Pace, PROMPT, processInSlices } from './slices.ts'
export { type Stopwatch, serverTiming, stopwatch } from './stopwatch.ts'
export {
  A_DAY,
  addDays,
  type Clock,
  DAY_MS,
  DAY_PATTERN,
  dayText,
  HOUR_MS,
  isDay,
  MOMENT_PATTERN,
  momentOf,
  nextMonth,
  taipei,
  taipeiDay,
  taipeiText,
} from './time.ts'
export type { TraceSettings } from './trace-settings.ts'
export { afterRunning, createWaitQueue, type WaitQueue } from './wait-queue.ts'
