/** The reference page's forms: each sends its operation to the service the page came from and shows the answer. */

/** Header that carries the credential, by kind of caller. */
const HEADER: Readonly<Record<string, (secret: string) => readonly [string, string]>> = {
  api_key: secret => ['x-api-key', secret],
  self_serve_token: secret => ['x-self-serve-token', secret],
  diagnostics_secret: secret => ['x-diagnostics-secret', secret],
  diagnostics_probe: secret => ['x-diagnostics-probe', secret],
  service_token: secret => ['authorization', `Bearer ${secret}`],
  admin_token: secret => ['authorization', `Bearer ${secret}`],
}

/** Headers of an answer worth showing before its body. */
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
/** Longest body shown; a longer one is cut and says so. */
const MOST_SHOWN = 200_000

const credential = document.querySelector<HTMLInputElement>('input[name=credential]')

for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    void send(form)
  })
}
document.querySelector('#credential')?.addEventListener('submit', event => event.preventDefault())

async function send(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector('output')!
  const { url, headers, body } = requestOf(form)
  form.querySelector('.url')!.textContent = `${form.dataset['method']} ${url}`
  output.textContent = '…'
  const began = performance.now()
  try {
    const answer = await fetch(url, {
      method: form.dataset['method']!,
      headers,
      ...(body === undefined ? {} : { body }),
      credentials: 'omit',
    })
    const text = await answer.text()
    const shown = SHOWN.filter(name => answer.headers.has(name)).map(name => `${name}: ${answer.headers.get(name)}`)
    output.textContent = [`${answer.status} in ${Math.round(performance.now() - began)} ms`, ...shown, '', pretty(text)].join('\n')
  } catch (error) {
    output.textContent = `The request could not be sent: ${String(error)}`
  }
}

/** The request a form describes; fields left blank are not sent. */
function requestOf(form: HTMLFormElement): { readonly url: string; readonly headers: Headers; readonly body: string | undefined } {
  let path = form.dataset['path']!
  const query = new URLSearchParams()
  const headers = new Headers()
  let body: string | undefined
  for (const [name, value] of new FormData(form)) {
    const [place, parameter] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)]
    if (value === '' || typeof value !== 'string') continue
    if (place === 'path') path = path.replace(`{${parameter}}`, encodeURIComponent(value))
    else if (place === 'query') query.append(parameter, value)
    else if (place === 'header') headers.set(parameter, value)
    else body = value
  }
  const secret = credential?.value.trim()
  const header = HEADER[form.dataset['caller']!]
  if (secret && header) headers.set(...(header(secret) as [string, string]))
  if (body !== undefined) headers.set('content-type', 'application/json')
  return { url: query.size > 0 ? `${path}?${query}` : path, headers, body }
}

function pretty(text: string): string {
  const cut = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} more characters` : text
  try {
    return text.length > MOST_SHOWN ? cut : JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return cut
  }
}
