import '../../style/account.css'
import '../../style/operator.css'
import { mount } from '../../parts/mount.tsx'
import { OperatorPage } from './page.tsx'
import { forgetToken } from './state.ts'

// The token is deleted when the user leaves the page, because browsers may cache the whole page and
// show it again after Back.
addEventListener('pagehide', forgetToken)
mount(OperatorPage)
