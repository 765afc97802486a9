// A classic script in the head, so that it runs before the first paint. Otherwise, a page would
// briefly appear in the other theme or colors.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset['theme'] = chosen
  const { colours } = JSON.parse(localStorage.getItem('display') ?? '{}') as { readonly colours?: string }
  if (colours) document.documentElement.dataset['colours'] = colours
} catch {
  // Ignored: storage may be forbidden. The system's theme is then used.
}

export {}
