/** Accounts, API keys and sign-in. */
export { type Account, type AccountStore, createAccountStore } from './accounts.ts'
export {
  type AccountAdministration,
  type AccountEntry,
  type AccountFilter,
  type AccountMail,
  type AccountNote,
  createAccountAdministration,
  type OwnLimits,
  STANDINGS,
  type Standing,
} from './administration.ts'
export { type Email, emailMistake, readEmail } from './email.ts'
export { isApiKeyShaped } from './keys/api-key.ts'
export { createKeyCheck, type KeyHolder } from './keys/key-holder.ts'
export { createKeyStore, type KeyRecord, type KeyStore, MAX_ENDED_LISTED, MAX_KEY_NAME_LENGTH, ownerOf } from './keys/keys.ts'
export { createOnboarding, type Locale } from './sign-in/onboarding.ts'
export { createSessionStore, type Session, type SessionStore } from './sign-in/sessions.ts'
