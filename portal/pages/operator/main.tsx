import '../../style/account.css'
import '../../style/operator.css'
import { mount } from '../../parts/mount.tsx'
import { OperatorPage } from './page.tsx'
import { forgetToken } from './state.ts'

// A page that was left may be kept whole, so that going back shows it at once.
addEventListener('pagehide', forgetToken)
mount(OperatorPage)
