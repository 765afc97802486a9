import { z } from 'zod'
import { PLAN_IDS } from '../../../catalog/index.ts'
import { FAULT_TYPES, type Fault, type FaultType, inputRefusal, REFUSAL_CODES, Refusal, type RefusalCode } from '../../core/index.ts'
import { type Caller, type Endpoint, errorBody } from '../kernel/index.ts'
import type { OpenApi } from './document.ts'

const OF_SHAPE: readonly RefusalCode[] = [
  'malformed_request',
  'repeated_header',
  'key_in_url',
  'request_timeout',
  'uri_too_long',
  'unsupported_media_type',
  'headers_too_large',
  'internal',
]
const EVERY_ROUTE: readonly RefusalCode[] = [...OF_SHAPE, 'invalid_parameter', 'draining']

const OF_KEY: readonly RefusalCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'conflicting_credentials',
  'account_closed',
  'account_suspended',
  'rate_limited',
  'invalid_self_serve_token',
  'foreign_origin',
]

const OF_CALLER: Readonly<Record<Caller, readonly RefusalCode[]>> = {
  public: ['rate_limited'],
  api_key: OF_KEY,
  file_reader: [...OF_KEY, 'invalid_file_url', 'expired_file_url', 'revoked_file_url'],
  agent: OF_KEY,
  service_token: ['invalid_service_token', 'rate_limited'],
  self_serve_token: ['invalid_self_serve_token', 'foreign_origin', 'account_closed', 'account_suspended', 'rate_limited', 'not_writable'],
  payer: [...OF_KEY, 'not_writable'],
  browser: ['rate_limited'],
  admin_token: ['invalid_admin_token', 'conflicting_credentials', 'rate_limited', 'not_writable'],
  diagnostics_secret: ['unknown_path'],
  diagnostics_probe: ['unknown_path'],
  payment_provider: ['invalid_signature'],
}

/** Includes codes of the kind of caller, and codes that every route can cause. */
export function refusalsOf({ caller, body, probe, whileSuspended, refusals = [] }: Endpoint): readonly RefusalCode[] {
  if (probe) return OF_SHAPE
  const bodied: readonly RefusalCode[] = body ? ['too_large', 'unsupported_media_type', 'not_writable'] : []
  const all = new Set([...EVERY_ROUTE, ...OF_CALLER[caller], ...bodied, ...refusals])
  if (whileSuspended) all.delete('account_suspended')
  return [...all]
}

const EXAMPLE_ID = 'req_01JZ0000000000000000000000'

/** By code. */
export const refusalExamples = (): OpenApi['components']['examples'] =>
  Object.fromEntries(REFUSAL_CODES.map(code => [code, { summary: new Refusal(code).message, value: refusalExample(code) }]))

const EXAMPLE_FAULT: Fault = {
  loc: ['query', 'limit'],
  words: { en: 'limit must be an integer from 1 to 1000', zh: 'limit 必須是 1 至 1000 的整數' },
  type: 'int_range',
  input: '0',
}

export function refusalExample(code: RefusalCode): object {
  return errorBody(code === 'invalid_parameter' ? inputRefusal([EXAMPLE_FAULT]) : new Refusal(code), EXAMPLE_ID)
}

const TYPES = Object.entries(FAULT_TYPES)
  .map(([type, says]) => `${type}: ${says}`)
  .join(' ')

const Detail = z
  .object({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .meta({ description: 'Location of the fault: `query`, `body` or `header`, followed by the name of the parameter or field.' }),
    msg: z.string().meta({ description: 'Description of the accepted values.' }),
    type: z.enum(Object.keys(FAULT_TYPES) as [FaultType, ...FaultType[]]).meta({ description: TYPES }),
    input: z.string().optional().meta({ description: 'Value that was sent, cut off after 100 characters.' }),
  })
  .meta({ id: 'fault' })

const Plan = z.enum(PLAN_IDS)

/** Both formats of a refusal contain these fields. */
const Facts = z
  .object({
    error_code: z.enum(REFUSAL_CODES).meta({ description: 'Stable error code for programs. Error messages may change.' }),
    error_message: z.string(),
    blocking_gate: z
      .string()
      .nullable()
      .meta({ description: 'Check that refused the request, for example the rate limit. Null if no check refused the request.' }),
    dataset: z.string().nullable().meta({ description: 'Id of the dataset concerned. Null if no dataset is concerned.' }),
    slug: z.string().nullable().meta({ description: 'Name of the dataset in paths. Null if no dataset is concerned.' }),
    request_id: z.string(),
    docs_url: z.string(),
    required_plan: Plan.optional(),
    current_plan: Plan.optional(),
    upgrade_url: z.string().optional(),
    resets_at: z.iso.datetime({ offset: true }).optional(),
    retry_after: z.number().optional().meta({ description: 'Seconds to wait, as in the `Retry-After` header.' }),
    limit: z.number().optional(),
    allowed: z.unknown().optional().meta({ description: 'Values that the request may have.' }),
    did_you_mean: z.string().nullable().optional(),
    read_at: z.string().optional().meta({ description: 'Path that returns the requested data.' }),
    nearest: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Retained release nearest to the requested release. Null if there is no such release.' }),
    release: z.string().optional(),
    first_day: z.iso.date().optional().meta({ description: 'First day after the requested day that `as_of` accepts.' }),
    hint: z.string().optional(),
    header: z.string().optional().meta({ description: 'Name of the repeated header.' }),
    bytes: z.int().optional().meta({ description: 'Size of the file in bytes.' }),
    active: z.int().optional().meta({ description: 'Number of active keys or enabled webhook endpoints of the account.' }),
    kept: z.int().optional().meta({ description: 'Number of webhook endpoints of the account, including disabled endpoints.' }),
    allowed_at_once: z.int().optional(),
    budget_ms: z.int().optional(),
    subscription_id: z.string().optional(),
    status: z.string().optional().meta({ description: 'Status of the subscription.' }),
    portal_path: z.string().optional(),
    refund_id: z.string().optional().meta({ description: 'Id of the ledger entry that refunded the read.' }),
    refunded_at: z.iso.datetime({ offset: true }).optional(),
    session_id: z.string().optional().meta({ description: 'Id of the checkout session that has ended.' }),
    session_status: z.enum(['complete', 'expired']).optional().meta({ description: 'Outcome of the checkout session that has ended.' }),
  })
  .meta({ id: 'refusal_facts', description: 'Facts about the error. Further fields depend on the error code.' })

export const RefusalBody = z
  .object({
    detail: z
      .union([z.string(), z.array(Detail)])
      .meta({ description: 'Error message as a sentence. For the status 422, a list of faults.' }),
    error: Facts,
    errorCode: z
      .string()
      .optional()
      .meta({ description: 'Same as `error_code`. Present only under /delta-sharing, as its protocol requires.' }),
    message: z.string().optional().meta({ description: 'Same as `error_message`. Present only under /delta-sharing.' }),
  })
  .meta({ id: 'refusal' })

/** RFC 9457. */
export const ProblemBody = z
  .object({
    type: z.string().meta({ description: 'Path of the documentation of the error code.' }),
    title: z.string().meta({ description: 'Summary of the error code. All errors with the same code have the same summary.' }),
    status: z.int(),
    detail: z.string().meta({ description: 'Description of the fault in this request.' }),
    instance: z.string().meta({ description: '`urn:twmd:` followed by the request id.' }),
    errors: z.array(Detail).optional().meta({ description: 'All faults of the request. Absent unless the status is 422.' }),
    error: Facts,
  })
  .meta({ id: 'problem' })
