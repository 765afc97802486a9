import '../../style/account.css'
import { mount } from '../../parts/mount.tsx'
import { AccountPage } from './page.tsx'
import { look } from './state.ts'

mount(AccountPage)
void look()
