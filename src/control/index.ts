/** Opens the account modules on one state file. */
export { type ErasedAccount, erasuresPath } from './account-eraser.ts'
export { type Control, openControl } from './control.ts'
export type { GivenCredits } from './credit-adjuster.ts'
export type { Notices } from './notices.ts'
export { recordPlans } from './plan-record.ts'
export { rotateVault } from './rotation.ts'
