// Runs before anything is drawn, so that a page never flashes in the other theme: a classic script in the head.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset['theme'] = chosen
} catch {
  // Storage may be forbidden; the system's theme is used.
}

export {}
