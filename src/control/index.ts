/** Opens the account modules over one state file. */
export { type ErasedAccount, erasuresPath } from './account-eraser.ts'
export { type Control, openControl } from './control.ts'
export type { Notices } from './notices.ts'
export { rotateVault } from './rotation.ts'
