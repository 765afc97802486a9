import { render } from 'preact'
import { showAccount } from './account.ts'
import { SearchBox } from './search-box.tsx'
import { switchTheme } from './theme-switch.ts'

const place = document.querySelector('#search')
if (place) render(<SearchBox />, place)
switchTheme(document.querySelector<HTMLButtonElement>('#theme')!)
void showAccount(document.querySelector<HTMLAnchorElement>('#account')!)

// The query, in which pages keep their view, changes while one looks: the other language shows the same view.
const other = document.querySelector<HTMLAnchorElement>('#language')
other?.addEventListener('click', () => {
  other.search = location.search
  other.hash = location.hash
})
