import { render } from 'preact'
import { creditsLeft } from '../api/client.ts'
import { showAccount } from './account.ts'
import { DisplayMenu } from './display-menu.tsx'
import { firstPaint } from './first-paint.ts'
import { loadBeforePrinting } from './print.ts'
import { SearchBox } from './search-box.tsx'
import { switchTheme } from './theme-switch.ts'

void firstPaint.then(() => {
  const place = document.querySelector('#search')
  if (place) render(<SearchBox />, place)
  const settings = document.querySelector('#display')
  if (settings) render(<DisplayMenu />, settings)
})
switchTheme(document.querySelector<HTMLButtonElement>('#theme')!)
loadBeforePrinting()
creditsLeft.subscribe(() => void showAccount(document.querySelector<HTMLAnchorElement>('#account')!))

// Pages store their view in the query string. The link to the other language gets the same query
// string, so that it opens the same view.
const other = document.querySelector<HTMLAnchorElement>('#language')
other?.addEventListener('click', () => {
  other.search = location.search
  other.hash = location.hash
})
