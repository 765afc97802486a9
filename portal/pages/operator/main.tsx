import '../../style/account.css'
import '../../style/operator.css'
import { mount } from '../../parts/mount.tsx'
import { OperatorPage } from './page.tsx'
import { forgetToken } from './state.ts'

// Browsers may cache the whole page and show it again after Back. The token is therefore deleted
// when the user leaves the page.
addEventListener('pagehide', forgetToken)
mount(OperatorPage)
