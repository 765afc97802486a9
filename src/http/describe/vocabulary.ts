import type { Caller, Group } from './endpoint.ts'
import type { JsonSchema } from './json-schema.ts'

/** Version of this description; paths carry their own. */
export const API_VERSION = '2.0.0'

/** What each group holds, in the order documentation shows them. */
export const GROUPS: Readonly<Record<Group, string>> = {
  datasets: 'Rows of the datasets, in the envelope of each.',
  catalog: 'What there is, how fresh and complete it is, what changed, what it costs.',
  search: 'Finding symbols, datasets and fields; single fields as of a day.',
  account: 'What a key may do, has used and will be billed.',
  self_serve: 'Signing in, keys, closing an account.',
  billing: 'Checkout, the payment provider, keys of a subscription.',
  administration: 'For the owner of the service.',
  service: 'Probes, metadata and this description.',
}

/** How each kind of caller says who it is. */
export const SECURITY: Readonly<Record<Exclude<Caller, 'public'>, JsonSchema>> = {
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Also taken as Authorization: Bearer.' },
  service_token: { type: 'http', scheme: 'bearer', description: 'For the website’s own backend.' },
  self_serve_token: { type: 'apiKey', in: 'header', name: 'x-self-serve-token' },
  admin_token: { type: 'http', scheme: 'bearer', description: 'Also taken in x-admin-token.' },
  diagnostics_secret: { type: 'apiKey', in: 'header', name: 'x-diagnostics-secret' },
  diagnostics_probe: { type: 'apiKey', in: 'header', name: 'x-diagnostics-probe' },
  payment_provider: {
    type: 'apiKey',
    in: 'header',
    name: 'Payment-Signature',
    description: 'Over the bytes of the body; also taken in Stripe-Signature.',
  },
}

/** Headers that answers name, by name. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': { description: 'Name of this request in our log and in the ledger.', schema: { type: 'string' } },
  'X-Credits-Charged': { description: 'Credits this answer cost.', schema: { type: 'integer' } },
  'X-Credits-Remaining': { description: 'Credits left in the period.', schema: { type: 'integer' } },
  'X-Credits-Limit': { description: 'Credits of the period.', schema: { type: 'integer' } },
  'X-Credits-Reset': { description: 'When the period ends.', schema: { type: 'string', format: 'date-time' } },
  RateLimit: { description: 'Requests left in the minute.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The plan’s limits.', schema: { type: 'string' } },
}
