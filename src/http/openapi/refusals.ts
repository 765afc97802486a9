import { Refusal, type RefusalCode } from '../../core/index.ts'
import { type Caller, type Endpoint, errorBody } from '../kernel/index.ts'

const OF_SHAPE: readonly RefusalCode[] = [
  'malformed_request',
  'repeated_header',
  'key_in_url',
  'uri_too_long',
  'unsupported_media_type',
  'internal',
]
const EVERY_ROUTE: readonly RefusalCode[] = [...OF_SHAPE, 'invalid_parameter', 'draining']

const OF_CALLER: Readonly<Record<Caller, readonly RefusalCode[]>> = {
  public: ['rate_limited'],
  api_key: [
    'missing_api_key',
    'invalid_api_key',
    'revoked_api_key',
    'expired_api_key',
    'conflicting_credentials',
    'account_closed',
    'rate_limited',
  ],
  service_token: ['invalid_service_token', 'rate_limited'],
  self_serve_token: ['invalid_self_serve_token', 'account_closed', 'rate_limited'],
  admin_token: ['invalid_admin_token', 'conflicting_credentials', 'rate_limited'],
  diagnostics_secret: ['unknown_path'],
  diagnostics_probe: ['unknown_path'],
  payment_provider: ['invalid_signature'],
}

/** Every refusal a route may answer with: its own, its caller's, and those of every route. */
export function refusalsOf({ caller, body, probe, refusals = [] }: Endpoint): readonly RefusalCode[] {
  if (probe) return OF_SHAPE
  const bodied: readonly RefusalCode[] = body ? ['too_large', 'unsupported_media_type'] : []
  return [...new Set([...EVERY_ROUTE, ...OF_CALLER[caller], ...bodied, ...refusals])]
}

const EXAMPLE_ID = 'req_01JZ0000000000000000000000'

/** The body a code is answered with, for documentation. */
export function refusalExample(code: RefusalCode): object {
  const faults = [{ loc: ['query', 'limit'], msg: 'limit must be an integer from 1 to 1000', type: 'int_range', input: '0' }]
  const refusal = code === 'invalid_parameter' ? new Refusal(code, {}, faults[0]!.msg, faults) : new Refusal(code)
  return errorBody(refusal, EXAMPLE_ID)
}
