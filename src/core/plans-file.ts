import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { BUILT_IN_PLANS, PLAN_IDS, PLANS, type Plan, type PlanId, type Plans, setPlans } from '../../catalog/index.ts'
import { LABEL_PATTERN, LABEL_WORDS } from './label.ts'
import type { Log } from './log.ts'
import { nearest } from './nearest.ts'

export const PLANS_FILE = 'plans.json'

const whole = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error })
}

const A_NAME = 'must be a text of 1 to 40 characters'
const SOME_FEATURES = 'must be a list of at most 50 snake_case words'
const AN_OBJECT = 'must be an object'

/** Missing fields get built-in values. */
const PlanFields = z
  .strictObject(
    {
      name: z
        .string({ error: A_NAME })
        .trim()
        .min(1, { error: A_NAME })
        .max(40, { error: A_NAME })
        .refine(text => LABEL_PATTERN.test(text), { error: LABEL_WORDS.en }),
      price: z.strictObject(
        { amount: whole(0, 1_000_000_000), currency: z.literal('TWD', { error: 'must be TWD' }).default('TWD') },
        { error: AN_OBJECT },
      ),
      credits_per_month: whole(1, 1_000_000_000),
      row_limit: whole(1, 100_000),
      requests_per_minute: whole(1, 1_000_000),
      requests_at_once: whole(1, 1_000),
      webhook_endpoints: whole(0, 1_000),
      features: z
        .array(z.string({ error: SOME_FEATURES }).regex(/^[a-z][a-z0-9_]{0,59}$/, { error: SOME_FEATURES }), { error: SOME_FEATURES })
        .max(50, { error: SOME_FEATURES }),
    },
    { error: AN_OBJECT },
  )
  .partial()
type PlanFields = z.output<typeof PlanFields>

const PlansFile = z.strictObject({ free: PlanFields, pro: PlanFields, max: PlanFields }, { error: AN_OBJECT }).partial()

/** A higher plan must not have lower values in these fields. */
const ALLOWANCES = ['credits_per_month', 'row_limit', 'requests_per_minute', 'requests_at_once', 'webhook_endpoints'] as const

const fieldsOf = (plan: Plan) => ({
  name: plan.name,
  price: plan.price,
  credits_per_month: plan.creditsPerMonth,
  row_limit: plan.rowLimit,
  requests_per_minute: plan.requestsPerMinute,
  requests_at_once: plan.requestsAtOnce,
  webhook_endpoints: plan.webhookEndpoints,
  features: plan.features,
})

const withFields = (plan: Plan, fields: PlanFields = {}): Plan => ({
  id: plan.id,
  rank: plan.rank,
  name: fields.name ?? plan.name,
  price: fields.price ?? plan.price,
  creditsPerMonth: fields.credits_per_month ?? plan.creditsPerMonth,
  rowLimit: fields.row_limit ?? plan.rowLimit,
  requestsPerMinute: fields.requests_per_minute ?? plan.requestsPerMinute,
  requestsAtOnce: fields.requests_at_once ?? plan.requestsAtOnce,
  webhookEndpoints: fields.webhook_endpoints ?? plan.webhookEndpoints,
  features: fields.features ?? plan.features,
})

export const plansAsFile = (plans: Plans) => ({ free: fieldsOf(plans.free), pro: fieldsOf(plans.pro), max: fieldsOf(plans.max) })

export interface PlanChange {
  /** Path of the field, for example `pro.price`. */
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

type PlansAsFile = ReturnType<typeof plansAsFile>

export const planChanges = (former: PlansAsFile, next: PlansAsFile): readonly PlanChange[] =>
  PLAN_IDS.flatMap(id =>
    (Object.keys(next[id]) as (keyof PlansAsFile[PlanId])[]).flatMap(name => {
      const [from, to] = [former[id][name], next[id][name]]
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field: `${id}.${name}`, from, to }]
    }),
  )

/** @throws Error with one sentence per fault */
export function parsePlans(text: string): Plans {
  const { success, data, error } = PlansFile.safeParse(parseJson(text))
  if (!success) throw invalid(error.issues.flatMap(sentencesOf))
  const { free, pro, max } = BUILT_IN_PLANS
  const plans = { free: withFields(free, data.free), pro: withFields(pro, data.pro), max: withFields(max, data.max) }
  const faults = conflictsIn(plans)
  if (faults.length > 0) throw invalid(faults)
  return plans
}

const invalid = (faults: readonly string[]): Error => new Error(faults.map(fault => `${PLANS_FILE}: ${fault}.`).join(' '))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid([`the content is not valid JSON (${(error as Error).message})`])
  }
}

function sentencesOf(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') return [`${path || 'the content'} ${issue.message}`]
  if (path === '') return issue.keys.map(key => `${key} is not a plan; use ${PLAN_IDS.join(', ')}`)
  const fields = issue.path.length > 1 ? ['amount', 'currency'] : Object.keys(fieldsOf(BUILT_IN_PLANS.free))
  return issue.keys.map(key => {
    const guess = nearest(key, fields)
    return `${path}.${key} is not a field; use ${guess ?? fields.join(', ')}`
  })
}

function conflictsIn(plans: Plans): readonly string[] {
  const file = plansAsFile(plans)
  const conflicts = plans.free.price.amount === 0 ? [] : ['free.price.amount must be 0']
  for (const [index, id] of PLAN_IDS.entries()) {
    const lower = PLAN_IDS[index - 1]
    if (lower === undefined) continue
    for (const name of ALLOWANCES)
      if (file[id][name] < file[lower][name])
        conflicts.push(`${id}.${name} (${file[id][name]}) must be at least ${lower}.${name} (${file[lower][name]})`)
  }
  return conflicts
}

/** Null if the file does not exist. */
function readText(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, PLANS_FILE), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw invalid([`the file cannot be read (${(error as NodeJS.ErrnoException).code})`])
  }
}

/** Returns the built-in plans if there is no file. @throws Error with one sentence per fault */
export function readPlans(dataDir: string): Plans {
  const text = readText(dataDir)
  return text === null ? BUILT_IN_PLANS : parsePlans(text)
}

const CHECK_MS = 1_000

/**
 * Applies the plans file now and after every change of the file.
 * @throws Error with one sentence per fault
 */
export function followPlans(dataDir: string, log: Log) {
  const listeners = new Set<() => void>()
  const contentOf = (): string => {
    try {
      return JSON.stringify({ text: readText(dataDir) })
    } catch (error) {
      return String(error)
    }
  }
  let lastContent = contentOf()
  setPlans(readPlans(dataDir))
  const readChanged = (): Plans | undefined => {
    try {
      return readPlans(dataDir)
    } catch (error) {
      log('plans refused', { error: (error as Error).message })
      return undefined
    }
  }
  const refresh = (): void => {
    const content = contentOf()
    if (content === lastContent) return
    lastContent = content
    const plans = readChanged()
    const changes = plans ? planChanges(plansAsFile(PLANS), plansAsFile(plans)) : []
    if (plans === undefined || changes.length === 0) return
    setPlans(plans)
    log('plans changed', { changes })
    for (const listener of listeners) listener()
  }
  return {
    /** Applies a changed file. Logs and ignores an invalid file. */
    refresh,
    /** @returns a function that removes the listener */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /**
     * Checks the file every second.
     * @returns a function that stops the checks
     */
    start(): () => void {
      const timer = setInterval(refresh, CHECK_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}
