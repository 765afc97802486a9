/** Every failure a caller can see: status, gate and sentence live here; the throw site supplies the facts. */
const REFUSALS = {
  malformed_request: [400, null, 'The request could not be read: its path, its headers or its JSON body is not well-formed.'],
  key_in_url: [
    400,
    null,
    'An API key was sent in the URL, where logs keep it. Revoke that key, create another and send it in the X-API-Key header.',
  ],
  invalid_signature: [400, null, 'The event is not signed with a secret of ours, or not within five minutes of now; nothing was stored.'],
  invalid_cursor: [
    400,
    null,
    'That cursor is not one of ours, or belongs to other parameters; send next_cursor as it was given, or leave it out to begin anew.',
  ],
  repeated_header: [400, null, 'A header that identifies the caller was sent more than once; send it once.'],
  missing_api_key: [401, 'auth', 'Send your API key in the X-API-Key header.'],
  invalid_api_key: [401, 'auth', 'That API key is not one of ours; check for a missing or changed character.'],
  revoked_api_key: [401, 'auth', 'That API key was revoked; use another or create one.'],
  expired_api_key: [401, 'auth', 'That API key has expired; create another.'],
  invalid_service_token: [401, 'auth', 'Send the service token as Authorization: Bearer.'],
  invalid_admin_token: [401, 'auth', 'Send the admin token as Authorization: Bearer, or in x-admin-token.'],
  invalid_self_serve_token: [401, 'auth', 'Sign in again: the x-self-serve-token header is missing, over or revoked.'],
  invalid_or_expired_code: [401, 'auth', 'That code does not work: it is wrong, over, used, or was tried too often. Ask for another.'],
  conflicting_credentials: [401, 'auth', 'X-API-Key and Authorization carry different credentials; send one of them.'],
  credits_exhausted: [402, 'credits', 'The credits of this period are used up; they return at resets_at, or move to a higher plan.'],
  plan_required: [403, 'plan', 'This dataset needs a higher plan.'],
  account_closed: [403, 'auth', 'The account of this key is closed.'],
  reauth_required: [403, 'auth', 'Sign in again with a new code: a secret is shown only within 15 minutes of signing in.'],
  unknown_path: [404, null, 'There is nothing at this path.'],
  unknown_dataset: [404, null, 'There is no dataset of that name.'],
  unknown_id: [404, null, 'There is nothing with that id.'],
  method_not_allowed: [405, null, 'This path does not take that method.'],
  format_not_supported: [406, null, 'That format is not available here.'],
  request_timeout: [408, null, 'The request took too long to arrive: its headers may take 10 seconds, all of it 15. Send it again.'],
  conflict: [409, null, 'That does not fit the present state.'],
  subscription_not_active: [409, null, 'That subscription is not live; renew it in the portal.'],
  no_customer: [409, null, 'This account has never been to checkout, so there is no portal for it.'],
  key_limit: [409, null, 'The account has as many active keys as it may; revoke one first.'],
  key_not_revealable: [410, null, 'That key was revoked and its secret erased; create another.'],
  release_retired: [410, null, 'That release is no longer kept; ask for the nearest one or leave release out.'],
  too_large: [413, null, 'The body is larger than this path accepts.'],
  uri_too_long: [414, null, 'The URL is longer than 8 KB; ask for fewer values at once.'],
  headers_too_large: [431, null, 'The headers are larger than 16 KB; send fewer or shorter ones.'],
  unsupported_media_type: [415, null, 'Send the body as plain, uncompressed application/json.'],
  invalid_parameter: [422, null, 'A parameter is missing, unknown or malformed; detail says which and what is accepted.'],
  unbounded_read: [422, 'bounds', 'This dataset is read for named tickers; detail says what to add.'],
  body_refused: [422, null, 'The file was refused; nothing was published.'],
  rate_limited: [429, 'rate_limit', 'Too many requests; wait retry_after seconds.'],
  concurrency_limited: [429, 'rate_limit', 'Too many requests at once for this plan; wait for one to finish.'],
  internal: [500, null, 'Something failed on our side; send us the request_id if it persists.'],
  integrity: [500, 'integrity', 'Stored data did not pass its check; the request was not answered from it.'],
  reserved_endpoint: [501, 'dataset_state', 'This path is reserved and not served yet.'],
  overloaded: [503, 'capacity', 'Too many reads are waiting; try again after retry_after seconds.'],
  not_writable: [
    503,
    'capacity',
    'The service cannot write at the moment; nothing of this request was kept. Try again after retry_after seconds.',
  ],
  data_unavailable: [503, 'integrity', 'No release of this dataset passes its check at the moment; try again later.'],
  dataset_building: [503, 'dataset_state', 'This dataset has no published release yet.'],
  billing_unavailable: [503, null, 'Payments are not available here at the moment; nothing else is affected.'],
  draining: [503, 'capacity', 'The service is stopping; try again in a moment.'],
  query_timeout: [504, 'capacity', 'The read took longer than its time budget; narrow it by symbol or dates.'],
} as const satisfies Record<string, readonly [status: number, gate: string | null, message: string]>

export type RefusalCode = keyof typeof REFUSALS

/** Every code, as the wire names it, in the order of their statuses. */
export const REFUSAL_CODES = (Object.keys(REFUSALS) as readonly RefusalCode[]).toSorted((a, b) => REFUSALS[a][0] - REFUSALS[b][0])

/** Codes under which the wire names a refusal where that differs from ours: unbounded reads are parameter errors to a client. */
const WIRE_CODE: Partial<Record<RefusalCode, RefusalCode>> = { unbounded_read: 'invalid_parameter' }

/** One mistake in the request, in the shape of `detail`. */
export interface Fault {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
  readonly input?: string
}

/** A failure that is an answer. `facts` and `message` reach the caller: never put secrets, SQL or file paths in them. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly facts: Readonly<Record<string, unknown>>
  readonly faults: readonly Fault[]

  constructor(
    code: RefusalCode,
    facts: Readonly<Record<string, unknown>> = {},
    message: string = REFUSALS[code][2],
    faults: readonly Fault[] = [],
  ) {
    super(message)
    this.code = code
    this.facts = facts
    this.faults = faults
  }
  get status(): number {
    return REFUSALS[this.code][0]
  }
  get gate(): string | null {
    return REFUSALS[this.code][1]
  }
  get wireCode(): RefusalCode {
    return WIRE_CODE[this.code] ?? this.code
  }
}

/** A refusal of the request's body or headers: every mistake at once. */
export const inputRefusal = (faults: readonly Fault[]): Refusal =>
  new Refusal('invalid_parameter', {}, faults.map(fault => fault.msg).join('; '), faults)

/** A refusal of the request's parameters: every mistake at once, so a caller fixes them in one go. */
export const parameterRefusal = (
  dataset: string,
  faults: readonly Fault[],
  code: 'invalid_parameter' | 'unbounded_read' = 'invalid_parameter',
): Refusal => new Refusal(code, { dataset }, faults.map(fault => fault.msg).join('; '), faults)
