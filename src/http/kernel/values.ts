import { z } from 'zod'
import { PLAN_IDS } from '../../../catalog/index.ts'

/** A moment, RFC 3339 in Taipei: its offset is always +08:00. */
export const timestamp = (doc: string) =>
  z
    .string()
    .regex(/\+08:00$/)
    .meta({ description: `${doc} RFC 3339, offset +08:00.`, format: 'date-time' })

/** A day in Taipei. */
export const calendarDay = (doc: string) => z.string().meta({ description: `${doc} YYYY-MM-DD, in Taipei.`, format: 'date' })

/** How many of something: a whole number from 0. */
export const count = (doc: string) => z.int().min(0).meta({ description: doc })

/** Money as it is billed: no decimals, so nothing is rounded. */
export const money = (doc: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${doc} Integer minor units (99000 is TWD 990.00), before tax.` })

export const PlanName = z.enum(PLAN_IDS).meta({ id: 'PlanName', description: 'A plan, in rising order free, pro, max.' })

const RateLimits = z
  .object({
    requests_per_minute: count('Requests a minute of all keys of the account together.'),
    requests_at_once: count('Reads that run at the same time; further ones wait in line.'),
  })
  .meta({ id: 'RateLimits' })

/** What a plan allows one answer and one minute. */
export const LIMITS = {
  row_limit: count('Most rows one answer may hold.'),
  rate_limits: RateLimits,
}
