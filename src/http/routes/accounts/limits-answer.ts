import { z } from 'zod'
import { count } from '../../kernel/index.ts'

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
