// A classic script in the head: it runs before the first paint, so that a page never flashes in the
// other theme or colors.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset['theme'] = chosen
  const { colours } = JSON.parse(localStorage.getItem('display') ?? '{}') as { readonly colours?: string }
  if (colours) document.documentElement.dataset['colours'] = colours
} catch {
  // Storage may be forbidden; the system's theme is used.
}

export {}
