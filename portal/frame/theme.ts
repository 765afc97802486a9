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

export {}
