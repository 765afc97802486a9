// This is a classic script in the head, because it must run before the first paint. Otherwise, a
// page would briefly appear in the wrong theme or colors.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset['theme'] = chosen
  const { colours } = JSON.parse(localStorage.getItem('display') ?? '{}') as { readonly colours?: string }
  if (colours) document.documentElement.dataset['colours'] = colours
} catch {
  // Ignored, because storage may be forbidden. The system's theme is then used.
}

export {}
