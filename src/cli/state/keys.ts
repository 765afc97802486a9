import type { Command } from 'commander'
import { PLAN_IDS, type PlanId } from '../../../catalog/index.ts'
import { emailMistake, MAX_KEY_NAME_LENGTH, readEmail } from '../../accounts/index.ts'
import { openControl, rotateVault } from '../../control/index.ts'
import { LABEL_PATTERN, LABEL_WORDS, loadSecrets, storeRotatedSecrets } from '../../core/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { configured } from '../workspace.ts'

interface CreateOptions {
  readonly email: string
  readonly plan: string
  readonly name: string
  readonly json?: true
}

/** Prints the secret once. */
export function keysCommand(program: Command, setExitCode: (code: number) => void): void {
  const keys = program.command('keys').description('manage API keys')
  rotateCommand(keys)
  keys
    .command('create')
    .description('create an API key for an e-mail address')
    .requiredOption('--email <address>', 'owner of the key; the account is created if missing')
    .requiredOption('--plan <plan>', `one of ${PLAN_IDS.join(', ')}; sets the account's plan`)
    .option('--name <name>', 'purpose of the key', 'cli')
    .option('--json', 'print one JSON document')
    .action((options: CreateOptions) => {
      const mistake = mistakeIn(options)
      if (mistake) {
        say(mistake)
        return setExitCode(EXIT.misused)
      }
      create(options)
    })
}

function create({ email, plan, name, json }: CreateOptions): void {
  const config = configured()
  const control = openControl(config, loadSecrets(config))
  const now = new Date()
  const account = control.accounts.ensure(readEmail(email)!, now)
  if (account.plan !== plan && control.keys.hasAny(account.id))
    say(`The plan of ${email} changes from ${account.plan} to ${plan}. This also applies to its other keys.`)
  const { keyId, secret } = control.transaction(() => {
    control.accounts.grantPlan(account.id, plan as PlanId, { note: 'operator' }, now)
    control.audit.write({ actor: 'operator', action: 'plan granted', accountId: account.id, facts: { plan_id: plan } }, now)
    const issued = control.keys.issue(account.id, name.trim(), now)
    control.audit.write({ actor: 'operator', action: 'key issued', accountId: account.id, target: issued.keyId }, now)
    return issued
  })
  control.close()
  if (json) printJson({ account_id: account.id, key_id: keyId, plan_id: plan, api_key: secret })
  else print(`${secret}\nKey ${keyId} of ${email} on plan ${plan}. It is shown only once. Send it in the X-API-Key header.`)
}

/** Run this command after adding a new secret and before removing the former secret. */
function rotateCommand(keys: Command): void {
  keys
    .command('rotate')
    .description('re-encrypt all keys with the first configured secrets')
    .action(() => {
      const config = configured()
      const control = openControl(config, loadSecrets(config))
      const count = rotateVault(control.db, control.vault)
      control.audit.write({ actor: 'operator', action: 'keys rotated', accountId: null, facts: { keys: count } }, new Date())
      control.close()
      print(`${count} keys are encrypted with the new secrets. Restart the service with only the new values.`)
      const stored = storeRotatedSecrets(config)
      if (stored.length > 0) print(`secrets.json has the new ${stored.join(', ')}.`)
    })
}

function mistakeIn({ email, plan, name }: CreateOptions): string | undefined {
  if (!PLAN_IDS.includes(plan as PlanId)) return `--plan must be one of ${PLAN_IDS.join(', ')}; it was ${plan}.`
  if (!readEmail(email)) return `--email must be ${emailMistake(email).en}.`
  const length = name.trim().length
  if (length === 0 || length > MAX_KEY_NAME_LENGTH) return `--name must have 1 to ${MAX_KEY_NAME_LENGTH} characters; it had ${length}.`
  if (!LABEL_PATTERN.test(name)) return `--name ${LABEL_WORDS.en}.`
  return undefined
}
