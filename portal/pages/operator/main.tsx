import '../../style/account.css'
import '../../style/operator.css'
import { mount } from '../../parts/mount.tsx'
import { OperatorPage } from './page.tsx'
import { forgetToken } from './state.ts'

addEventListener('pagehide', forgetToken)
mount(OperatorPage)
