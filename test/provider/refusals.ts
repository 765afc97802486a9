/** An answer of the provider that is an error: status and the object under `error`. */
export class Refused extends Error {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.fields = fields
  }
  get body(): object {
    const { code } = this.fields
    const docs = code === undefined ? {} : { doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }
    return { error: { type: 'invalid_request_error', message: this.message, ...docs, ...this.fields } }
  }
}

export const malformed = (message: string): Refused => new Refused(400, message)

/** A parameter whose value does not do. */
export const invalid = (param: string, message: string, code = 'parameter_invalid'): Refused => new Refused(400, message, { code, param })

export const missing = (param: string): Refused =>
  new Refused(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param })

export const unknownParam = (param: string): Refused =>
  new Refused(400, `Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })

/** @param param where the id was named; a 404 where it was the path itself */
export const noSuch = (kind: string, id: string, param = 'id'): Refused =>
  new Refused(param === 'id' ? 404 : 400, `No such ${kind}: '${id}'`, { code: 'resource_missing', param })

export const unknownUrl = (method: string, path: string): Refused =>
  new Refused(404, `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs.`)

export const unauthorized = (key: string | undefined): Refused =>
  new Refused(401, key === undefined ? 'You did not provide an API key.' : `Invalid API Key provided: ${key.slice(0, 8)}***`)

export const keyReused = (key: string): Refused =>
  new Refused(
    400,
    `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    { type: 'idempotency_error' },
  )

export const down = (status: number): Refused => new Refused(status, 'The service is not available.', { type: 'api_error' })
