import '../../style/account.css'
import '../../style/operator.css'
import { mount } from '../../parts/mount.tsx'
import { OperatorPage } from './page.tsx'
import { forgetToken } from './state.ts'

// The browser may cache the whole page and show it again after Back, so the token is deleted when
// the page is left.
addEventListener('pagehide', forgetToken)
mount(OperatorPage)
