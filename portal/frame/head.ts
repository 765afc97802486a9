// This script is in the head, because it must run before the first paint. Otherwise, a page would
// briefly appear in the wrong theme.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset['theme'] = chosen
  const { colours } = JSON.parse(localStorage.getItem('display') ?? '{}') as { readonly colours?: string }
  if (colours) document.documentElement.dataset['colours'] = colours
} catch {
  // Storage may be forbidden. The system's theme then applies.
}

// Reads of a page wait for the session. The other scripts arrive later, because they are larger, so
// this script requests the session. `sessionAnswer` uses the response.
globalThis.sessionResponse = fetch('/v2/self-serve/browser-session', {
  headers: { 'x-portal': '1', 'accept-language': document.documentElement.lang.startsWith('zh') ? 'zh-TW' : 'en' },
}).catch(() => undefined)

declare global {
  /** Response with the session, which the script in the head requests. Undefined after a failure. */
  var sessionResponse: Promise<Response | undefined> | undefined
}

export {}
