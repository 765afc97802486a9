import { say } from '../../parts/language.ts'

/** Returns the header for each kind of credential. */
const HEADER: Readonly<Record<string, (secret: string) => readonly [string, string]>> = {
  api_key: secret => ['x-api-key', secret],
  file_reader: secret => ['x-api-key', secret],
  self_serve_token: secret => ['x-self-serve-token', secret],
  payer: secret => ['x-api-key', secret],
  diagnostics_secret: secret => ['x-diagnostics-secret', secret],
  diagnostics_probe: secret => ['x-diagnostics-probe', secret],
  service_token: secret => ['authorization', `Bearer ${secret}`],
  admin_token: secret => ['authorization', `Bearer ${secret}`],
}

const SHOWN = [
  'x-request-id',
  'x-release',
  'x-warnings',
  'x-empty-reason',
  'x-credits-charged',
  'x-credits-remaining',
  'ratelimit',
  'retry-after',
  'link',
  'server-timing',
]
/** Maximum number of shown characters of a body. */
const MOST_SHOWN = 200_000

/** Activates the forms, which send requests to this service. */
export function runForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
    form.hidden = false
    form.addEventListener('submit', event => {
      event.preventDefault()
      void send(form, (event.submitter as HTMLButtonElement | null)?.value === 'dry_run')
    })
  }
}

/**
 * Sends a form's request and shows the response.
 *
 * @param priceOnly true to request only the price
 */
async function send(form: HTMLFormElement, priceOnly: boolean): Promise<void> {
  const output = form.querySelector('output')!
  const { url, headers, body, credentials } = requestOf(form, priceOnly)
  form.querySelector('.url')!.textContent = `${form.dataset['method']} ${url}`
  output.textContent = '…'
  const began = performance.now()
  try {
    const answer = await fetch(url, {
      method: form.dataset['method']!,
      headers,
      ...(body === undefined ? {} : { body }),
      credentials,
    })
    const text = await answer.text()
    const shown = SHOWN.filter(name => answer.headers.has(name)).map(name => `${name}: ${answer.headers.get(name)}`)
    output.textContent = [`${answer.status} ${IN(Math.round(performance.now() - began))}`, ...shown, '', pretty(text)].join('\n')
  } catch (error) {
    output.textContent = `${UNSENT()} ${String(error)}`
  }
}

const IN = (milliseconds: number): string => say({ en: `in ${milliseconds} ms`, zh: `，${milliseconds} 毫秒` })
const UNSENT = (): string => say({ en: 'The request could not be sent:', zh: '無法送出請求：' })

interface FormRequest {
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly credentials: RequestCredentials
}

/**
 * Returns the request of a form. Empty fields are not sent. A typed key replaces the browser's
 * session.
 */
function requestOf(form: HTMLFormElement, priceOnly: boolean): FormRequest {
  let path = form.dataset['path']!
  const query = new URLSearchParams(priceOnly ? { dry_run: 'true' } : {})
  const headers = new Headers()
  let [body, secret]: [string?, string?] = []
  for (const [name, value] of new FormData(form)) {
    const [place, parameter] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)]
    if (value === '' || typeof value !== 'string') continue
    if (place === 'path') path = path.replace(`{${parameter}}`, encodeURIComponent(value))
    else if (place === 'query') query.append(parameter, value)
    else if (place === 'header') headers.set(parameter, value)
    else if (place === 'credential') secret = value.trim()
    else body = value
  }
  const header = HEADER[form.dataset['caller']!]
  if (secret && header) headers.set(...(header(secret) as [string, string]))
  else headers.set('x-portal', '1')
  if (body !== undefined) headers.set('content-type', 'application/json')
  return { url: query.size > 0 ? `${path}?${query}` : path, headers, body, credentials: secret ? 'omit' : 'same-origin' }
}

function pretty(text: string): string {
  const cut = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} more characters` : text
  try {
    return text.length > MOST_SHOWN ? cut : JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return cut
  }
}
