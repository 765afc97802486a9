import { render } from 'preact'
import { showAccount } from './account.ts'
import { SearchBox } from './search-box.tsx'
import { switchTheme } from './theme-switch.ts'

const place = document.querySelector('#search')
if (place) render(<SearchBox />, place)
switchTheme(document.querySelector<HTMLButtonElement>('#theme')!)
void showAccount(document.querySelector<HTMLAnchorElement>('#account')!)
